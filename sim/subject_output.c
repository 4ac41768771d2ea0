#include "sim/subject_output.h"

#include "sim/fatal.h"

#define TEXTS_BYTES ((size_t)1 << 16)

struct subject_texts {
	struct subject_texts *next;
	size_t len, cap;
	char data[];
};

const char *subject_end_word(enum subject_end end)
{
	static const char *const words[] = {
#define SUBJECT_END_WORD(id, word) word,
		SUBJECT_ENDS(SUBJECT_END_WORD)
#undef SUBJECT_END_WORD
	};

	return words[end];
}

static void free_texts(struct subject_texts *texts)
{
	while (texts != NULL) {
		struct subject_texts *next = texts->next;

		base_free(NULL, texts);
		texts = next;
	}
}

void subject_output_release(struct subject_output *output)
{
	free_texts(output->texts);
	base_free(NULL, output->records);
	memset(output, 0, sizeof(*output));
}

void subject_output_clear(struct subject_output *output)
{
	output->count = 0;
	if (output->texts == NULL)
		return;
	free_texts(output->texts->next);
	output->texts->next = NULL;
	output->texts->len = 0;
}

static void keep(struct subject_output *output, struct base_str *s)
{
	struct subject_texts *texts = output->texts;
	char *copy;

	if (s->len == 0) {
		*s = (struct base_str){.ptr = "", .len = 0};
		return;
	}
	if (texts == NULL || texts->cap - texts->len < s->len) {
		const size_t cap = s->len > TEXTS_BYTES ? s->len : TEXTS_BYTES;

		texts = sim_realloc(NULL, sizeof(*texts) + cap);
		texts->len = 0;
		texts->cap = cap;
		texts->next = output->texts;
		output->texts = texts;
	}
	copy = texts->data + texts->len;
	memcpy(copy, s->ptr, s->len);
	texts->len += s->len;
	s->ptr = copy;
}

void subject_output_add(struct subject_output *output, const struct hist_record *record)
{
	struct hist_record *slot;
	struct base_str *texts[14];

	if (output->count == output->cap) {
		output->cap = output->cap > 0 ? output->cap * 2 : 64;
		output->records =
			sim_realloc(output->records, output->cap * sizeof(*output->records));
	}
	slot = &output->records[output->count++];
	*slot = *record;
	slot->source = HIST_CLIENT;
	memcpy(texts,
	       (struct base_str *[]){&slot->actor, &slot->handler, &slot->key, &slot->uid,
				     &slot->rv, &slot->old_rv, &slot->seen, &slot->method,
				     &slot->path, &slot->query, &slot->reason, &slot->from,
				     &slot->to, &slot->text},
	       sizeof(texts));
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		keep(output, texts[i]);
}
