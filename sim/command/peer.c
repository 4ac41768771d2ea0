#include "sim/command/peer.h"

#include <unistd.h>

#include "sim/command/command.h"

#define CLIENT_GO "client-go v0.36.2" /* what ci/peers/client-go/go.mod pins */
#define CLIENT_GO_KNOWN "ci/peers/client-go/known-differences"

/* name, file below the build's folder, what makes it */
static const struct {
	const char *name, *file, *make;
	const char *title, *known_differences;
	bool any_order;
} known[] = {
	{"client-go", "peers/client-go-sorted", "make peers", CLIENT_GO, CLIENT_GO_KNOWN, false},
	{"client-go-stock", "peers/client-go", "make peers", CLIENT_GO, CLIENT_GO_KNOWN "-stock",
	 true},
	{"libinformer", "relist-peer", "make", NULL, NULL, false},
};

/* The path of a known peer's program. */
static void path_of(const char *file, char *path, size_t size)
{
	char binary[PATH_MAX - 64];
	const ssize_t len = readlink("/proc/self/exe", binary, sizeof(binary) - 1);

	if (len > 0) {
		binary[len] = '\0';
		*strrchr(binary, '/') = '\0';
	}
	snprintf(path, size, "%s/%s", len > 0 ? binary : "build", file);
}

/* The place of the name in the table, or its count. */
static size_t find_known(const char *name)
{
	size_t i = 0;

	while (i < sizeof(known) / sizeof(*known) && strcmp(name, known[i].name) != 0)
		i++;
	return i;
}

bool command_peer_find(struct command_peer *peer, const char *name)
{
	const size_t i = find_known(name);
	char path[PATH_MAX];

	memset(peer, 0, sizeof(*peer));
	peer->given = true;
	peer->options.name = name;
	peer->options.command = name;
	if (i == sizeof(known) / sizeof(*known))
		return true;
	path_of(known[i].file, path, sizeof(path));
	snprintf(peer->command, sizeof(peer->command), "exec '%s'", path);
	peer->options.command = peer->command;
	peer->title = known[i].title;
	peer->known_differences = known[i].known_differences;
	peer->any_order = known[i].any_order;
	return access(path, X_OK) == 0;
}

bool command_peer_init(struct command_peer *peer, const char *text)
{
	char path[PATH_MAX];

	memset(peer, 0, sizeof(*peer));
	if (text == NULL || command_peer_find(peer, text))
		return true;
	path_of(known[find_known(text)].file, path, sizeof(path));
	command_usage("--peer %s: %s is not there; `%s` builds it", text, path,
		      known[find_known(text)].make);
	return false;
}
