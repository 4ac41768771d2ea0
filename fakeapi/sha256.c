#include "fakeapi/sha256.h"

#include <string.h>

static const uint32_t round_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2};

static uint32_t rotate(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static void compress(uint32_t state[8], const uint8_t block[64])
{
	uint32_t w[64], s[8];
	for (size_t i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (size_t i = 16; i < 64; i++) {
		uint32_t a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
		uint32_t b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
		w[i] = w[i - 16] + a + w[i - 7] + b;
	}
	memcpy(s, state, sizeof s);
	for (size_t i = 0; i < 64; i++) {
		uint32_t e = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
		uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
		uint32_t one = s[7] + e + choice + round_constants[i] + w[i];
		uint32_t a = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
		uint32_t most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
		memmove(&s[1], &s[0], 7 * sizeof s[0]);
		s[4] += one;
		s[0] = one + a + most;
	}
	for (size_t i = 0; i < 8; i++)
		state[i] += s[i];
}

void fakeapi_sha256_init(struct fakeapi_sha256 *sum)
{
	static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	*sum = (struct fakeapi_sha256){.length = 0};
	memcpy(sum->state, start, sizeof start);
}

void fakeapi_sha256_update(struct fakeapi_sha256 *sum, const void *ptr, size_t len)
{
	const uint8_t *at = ptr;
	while (len != 0) {
		size_t used = (size_t)(sum->length % 64), room = 64 - used;
		size_t part = len < room ? len : room;
		memcpy(sum->block + used, at, part);
		sum->length += part;
		at += part;
		len -= part;
		if (part == room)
			compress(sum->state, sum->block);
	}
}

void fakeapi_sha256_final(struct fakeapi_sha256 *sum, uint8_t out[FAKEAPI_SHA256_SIZE])
{
	static const uint8_t padding[64] = {0x80};
	uint64_t bits = sum->length * 8;
	uint8_t length[8];
	size_t used = (size_t)(sum->length % 64);
	fakeapi_sha256_update(sum, padding, used < 56 ? 56 - used : 120 - used);
	for (size_t i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	fakeapi_sha256_update(sum, length, sizeof length);
	for (size_t i = 0; i < FAKEAPI_SHA256_SIZE; i++)
		out[i] = (uint8_t)(sum->state[i / 4] >> (24 - 8 * (i % 4)));
}

void fakeapi_sha256(const void *ptr, size_t len, uint8_t out[FAKEAPI_SHA256_SIZE])
{
	struct fakeapi_sha256 sum;
	fakeapi_sha256_init(&sum);
	fakeapi_sha256_update(&sum, ptr, len);
	fakeapi_sha256_final(&sum, out);
}

void fakeapi_tag(const void *ptr, size_t len, char out[129])
{
	static const char digits[] = "0123456789ABCDEF";
	uint8_t sum[2][FAKEAPI_SHA256_SIZE];
	fakeapi_sha256(ptr, len, sum[0]);
	fakeapi_sha256(sum[0], sizeof sum[0], sum[1]);
	for (size_t i = 0; i < 2 * FAKEAPI_SHA256_SIZE; i++) {
		uint8_t byte = sum[i / FAKEAPI_SHA256_SIZE][i % FAKEAPI_SHA256_SIZE];
		out[2 * i] = digits[byte >> 4];
		out[2 * i + 1] = digits[byte & 15];
	}
	out[128] = '\0';
}
