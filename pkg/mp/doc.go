// Package mp is vectors of floating-point numbers of 53 to 1696 bits, and products with them.
package mp
