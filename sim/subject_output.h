/* What a subject has said since it was last asked: records and their texts, reused from turn to turn. */
#ifndef SIM_SUBJECT_OUTPUT_H
#define SIM_SUBJECT_OUTPUT_H

#include "sim/subject.h"

struct subject_texts;

struct subject_output {
	struct hist_record *records;
	size_t count, cap;
	struct subject_texts *texts; /* newest first; the newest is reused after clear */
};

/* Zero it before first use. */
void subject_output_release(struct subject_output *output);
void subject_output_clear(struct subject_output *output);
/* Copies the record and its texts; source becomes HIST_CLIENT. Without memory the process ends with
 * exit code 3. */
void subject_output_add(struct subject_output *output, const struct hist_record *record);

#endif
