/* A proxy of HTTP CONNECT and SOCKS5 on the test's own loop. Whatever name it is asked for, it leads to this
 * machine, at the port that was asked for. */
#ifndef SIM_WIRE_PROXY_RIG_H
#define SIM_WIRE_PROXY_RIG_H

#include "base/loop/loop.h"

#define PROXY_PAIRS_MAX 16

struct proxy;
struct proxy_pair {
	struct proxy *proxy;
	struct base_loop_fd near, far;
	unsigned char head[1024];
	size_t head_len;
	int step; /* 0: the first bytes; 1: SOCKS5's request; 2: relayed */
};
struct proxy {
	struct base_loop *loop;
	struct base_loop_fd listener;
	int port;
	bool hold; /* takes everything and passes nothing on, with every connection open */
	unsigned count;
	char asked[256];      /* the last CONNECT line, or "socks5 HOST:PORT" */
	char credential[128]; /* Proxy-Authorization of it */
	struct proxy_pair pairs[PROXY_PAIRS_MAX];
};

bool proxy_init(struct proxy *proxy, struct base_loop *loop);
void proxy_release(struct proxy *proxy);

#endif
