// Command site makes plain HTML of the pages of docs and the README. Links between pages lead to the HTML, others to files of the
// repository to its place on the web; a link that leads nowhere is an error.
//
//	go run ./tools/site -output bin/site
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"html/template"
	"os"
)

//go:embed page.html
var pageHTML string

var page = template.Must(template.New("page").Parse(pageHTML))

func main() {
	root := flag.String("root", ".", "folder of the repository")
	output := flag.String("output", "bin/site", "folder for the pages")
	flag.Parse()
	if err := makeSite(*root, *output); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}
