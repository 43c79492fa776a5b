/* Whether loading the library leaves the process alone, under a limit of its memory too. */
#include <mpsolve.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	char path[64], name[64];
	(void)mpsolve_version();
	snprintf(path, sizeof path, "/proc/%d/stat", (int)getppid());
	FILE *f = fopen(path, "r");
	if (f == NULL || fscanf(f, "%*d (%63[^)])", name) != 1)
		return 1;
	puts(name[0] == 'p' && name[1] == 'r' ? "a child of the process that began" : "the process that began");
	return 0;
}
