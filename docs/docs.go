// Package docs holds pages of the documentation that programs show parts of.
package docs

import _ "embed"

// Bibliography is BIBLIOGRAPHY.md, where each work has a paragraph that begins with its key in bold brackets.
//
//go:embed BIBLIOGRAPHY.md
var Bibliography string
