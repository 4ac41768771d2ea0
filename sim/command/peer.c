#include "sim/command/peer.h"

#include <unistd.h>

#include "sim/command/command.h"

/* name, file in the build's folder "peers" */
static const struct {
	const char *name, *file;
} known[] = {
	{"client-go", "client-go-sorted"},
	{"client-go-stock", "client-go"},
};

static bool find_known(struct command_peer *peer, const char *name, const char *file)
{
	char binary[PATH_MAX - 64], path[PATH_MAX];
	const ssize_t len = readlink("/proc/self/exe", binary, sizeof(binary) - 1);

	if (len > 0) {
		binary[len] = '\0';
		*strrchr(binary, '/') = '\0';
	}
	snprintf(path, sizeof(path), "%s/peers/%s", len > 0 ? binary : "build", file);
	if (access(path, X_OK) != 0) {
		command_usage("--peer %s: %s is not there; `make peers` builds it", name, path);
		return false;
	}
	snprintf(peer->command, sizeof(peer->command), "exec '%s'", path);
	return true;
}

bool command_peer_init(struct command_peer *peer, const char *text)
{
	memset(peer, 0, sizeof(*peer));
	if (text == NULL)
		return true;
	peer->given = true;
	peer->options.name = text;
	peer->options.command = text;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(text, known[i].name) != 0)
			continue;
		peer->options.command = peer->command;
		return find_known(peer, known[i].name, known[i].file);
	}
	return true;
}
