/* A folder of its own for a test's files, and an environment in it. */
#ifndef INFORMER_LIVE_FOLDER_RIG_H
#define INFORMER_LIVE_FOLDER_RIG_H

#include "informer/live/kubeconfig.h"

#define FOLDER_ENV_MAX 8

struct folder {
	char path[256];
	char names[32][64]; /* what was written, to be removed */
	size_t name_count;
	struct {
		const char *name;
		char value[512];
	} env[FOLDER_ENV_MAX];
	size_t env_count;
	char warnings[4096];
};

bool folder_init(struct folder *folder);
void folder_release(struct folder *folder);
/* Written anew each time; $F in the text stands for the folder. */
void folder_write(struct folder *folder, const char *name, unsigned mode, const char *text);
/* $F as above. */
void folder_env(struct folder *folder, const char *name, const char *value);
/* Folder and name; valid until the next four calls. */
const char *folder_path(const struct folder *folder, const char *name);
/* Options with the folder's environment and warnings. */
struct live_kubeconfig_options folder_options(struct folder *folder);
void folder_warn(void *self, const char *text);

#endif
