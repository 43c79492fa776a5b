/* The descriptor of the real standard error in a supervised process, -1 in others. */
int supervise_stderr(void);
