#include "informer/live/folder_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

bool folder_init(struct folder *folder)
{
	const char *base = getenv("TMPDIR");

	memset(folder, 0, sizeof *folder);
	snprintf(folder->path, sizeof folder->path, "%s/relist-live.XXXXXX",
		 base != NULL && base[0] != '\0' ? base : "/tmp");
	return mkdtemp(folder->path) != NULL;
}

const char *folder_path(const struct folder *folder, const char *name)
{
	static char rooms[4][512];
	static unsigned turn;
	char *room = rooms[turn++ % 4];

	snprintf(room, sizeof rooms[0], "%s/%s", folder->path, name);
	return room;
}

static bool parent_of(const char *name, char *parent, size_t size)
{
	const char *slash = strchr(name, '/');

	if (slash != NULL)
		snprintf(parent, size, "%.*s", (int)(slash - name), name);
	return slash != NULL;
}

void folder_release(struct folder *folder)
{
	char parent[64];

	for (size_t i = 0; i < folder->name_count; i++)
		remove(folder_path(folder, folder->names[i]));
	for (size_t i = 0; i < folder->name_count; i++)
		if (parent_of(folder->names[i], parent, sizeof parent))
			rmdir(folder_path(folder, parent));
	rmdir(folder->path);
}

static void expand(const struct folder *folder, const char *text, struct base_buf *out)
{
	const char *hit;

	base_buf_init(out, NULL, BASE_BUF_MAX_DEFAULT);
	while ((hit = strstr(text, "$F")) != NULL) {
		if (base_buf_append(out, text, (size_t)(hit - text)) != BASE_OK ||
		    base_buf_text(out, folder->path) != BASE_OK)
			abort();
		text = hit + 2;
	}
	if (base_buf_text(out, text) != BASE_OK)
		abort();
}

void folder_write(struct folder *folder, const char *name, unsigned mode, const char *text)
{
	struct base_buf whole;
	const char *path = folder_path(folder, name);
	size_t known = 0;

	char parent[64];

	expand(folder, text, &whole);
	if (parent_of(name, parent, sizeof parent))
		mkdir(folder_path(folder, parent), 0700);
	remove(path);
	FILE *file = fopen(path, "wb");
	if (file == NULL)
		abort();
	fwrite(whole.ptr != NULL ? whole.ptr : "", 1, whole.len, file);
	fclose(file);
	chmod(path, (mode_t)mode);
	base_buf_release(&whole);
	while (known < folder->name_count && strcmp(folder->names[known], name) != 0)
		known++;
	if (known == folder->name_count && known < sizeof folder->names / sizeof *folder->names)
		snprintf(folder->names[folder->name_count++], sizeof folder->names[0], "%s", name);
}

void folder_env(struct folder *folder, const char *name, const char *value)
{
	struct base_buf whole;

	if (folder->env_count == FOLDER_ENV_MAX)
		abort();
	expand(folder, value, &whole);
	folder->env[folder->env_count].name = name;
	snprintf(folder->env[folder->env_count].value, sizeof folder->env[0].value, "%.*s",
		 BASE_STR_ARG(base_buf_peek(&whole)));
	folder->env_count++;
	base_buf_release(&whole);
}

static const char *env(void *self, const char *name)
{
	const struct folder *folder = self;

	for (size_t i = folder->env_count; i > 0; i--)
		if (strcmp(folder->env[i - 1].name, name) == 0)
			return folder->env[i - 1].value;
	return NULL;
}

void folder_warn(void *self, const char *text)
{
	struct folder *folder = self;
	const size_t len = strlen(folder->warnings);

	snprintf(folder->warnings + len, sizeof folder->warnings - len, "%s\n", text);
}

struct live_kubeconfig_options folder_options(struct folder *folder)
{
	return (struct live_kubeconfig_options){.warn = folder_warn,
						.warn_self = folder,
						.env = env,
						.env_self = folder,
						.pod_folder = folder->path};
}
