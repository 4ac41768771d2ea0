/* A whole live client, from a kubeconfig's target, against the server on real ports, for unit tests. */
#ifndef SIM_WIRE_CLIENT_RIG_H
#define SIM_WIRE_CLIENT_RIG_H

#include "informer/live/client.h"
#include "sim/wire/host.h"
#include "sim/wire/proxy_rig.h"

/* Tokens that the server takes. */
#define GOOD "g00d-token"
#define OTHER "0ther-token"

struct rig {
	struct scenario *scenario;
	struct scenario_variants variants;
	struct sim_run_options run;
	struct wire_host host;
	struct live_cluster cluster;
	struct live_user user;
	struct live_target target;
	struct live_client_options options;
	struct live_client *client;
	struct proxy proxy;
	char url[64], proxy_url[64], folder[256], file[300], warnings[1024];
	int64_t wall;
};

struct asked {
	struct inf_exchange exchange;
	struct base_buf body;
	int status;
	enum inf_end end;
	bool over;
	char text[512];
};

/* Texts of targets are not const. */
char *client_rig_text(const char *text);
bool client_rig_init(struct rig *rig);
/* speed: of the clock of both sides. */
bool client_rig_init_at(struct rig *rig, uint64_t speed);
void client_rig_release(struct rig *rig);
/* Makes the client of rig->options. */
bool client_rig_connect(struct rig *rig);
/* rig->file anew, in one step. */
void client_rig_write(const struct rig *rig, const char *text);
/* Ready for an exchange of the test's own. */
void client_rig_asked(struct asked *asked);
/* A GET; with a query it is a watch. The body is the caller's to release. */
void client_rig_start(struct rig *rig, struct asked *asked, const char *path, const char *query);
void client_rig_wait(struct rig *rig, struct asked *asked);
/* Both, for pods. The status, or minus what ended it. */
int client_rig_ask(struct rig *rig, struct asked *asked);

#endif
