/* relist-peer: our own core behind the lockstep protocol, on stdin and stdout. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/peer_serve.h"

int main(void)
{
	struct peer_serve *serve = peer_serve_new();
	struct base_error error = {0};
	struct base_buf out;
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	bool more = true;

	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	while (more && (len = getline(&line, &cap, stdin)) > 0) {
		base_buf_clear(&out);
		more = peer_serve_line(serve, base_str_n(line, (size_t)len), &out, &error);
		if (out.len > 0 &&
		    (fwrite(out.ptr, 1, out.len, stdout) != out.len || fflush(stdout) != 0))
			more = false;
	}
	if (error.code != BASE_OK)
		fprintf(stderr, "relist-peer: %s\n", error.text);
	free(line);
	base_buf_release(&out);
	peer_serve_free(serve);
	return error.code == BASE_OK ? 0 : 2;
}
