/* SHA-256 and SHA-512 (FIPS 180-4): what discovery names storage versions and documents by. */
#ifndef FAKEAPI_DIGEST_H
#define FAKEAPI_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define FAKEAPI_SHA256_SIZE 32

struct fakeapi_sha256 {
	uint32_t state[8];
	uint64_t length; /* bytes so far */
	uint8_t block[64];
};

void fakeapi_sha256_init(struct fakeapi_sha256 *sum);
void fakeapi_sha256_update(struct fakeapi_sha256 *sum, const void *ptr, size_t len);
void fakeapi_sha256_final(struct fakeapi_sha256 *sum, uint8_t out[FAKEAPI_SHA256_SIZE]);
/* All in one. */
void fakeapi_sha256(const void *ptr, size_t len, uint8_t out[FAKEAPI_SHA256_SIZE]);
#define FAKEAPI_SHA512_SIZE 64
void fakeapi_sha512(const void *ptr, size_t len, uint8_t out[FAKEAPI_SHA512_SIZE]);
/* SHA-512 as 128 upper-case hex digits and a NUL: the tag of a document. */
void fakeapi_tag(const void *ptr, size_t len, char out[129]);

#endif
