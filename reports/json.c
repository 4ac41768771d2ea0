#include "reports/report.h"

static enum base_code put_text(struct base_buf *out, const char *name, struct base_str value)
{
	BASE_TRY(base_buf_printf(out, ",\"%s\":", name));
	return base_buf_json_string(out, value);
}

static enum base_code put_optional(struct base_buf *out, const char *name, struct base_str value)
{
	return value.len > 0 ? put_text(out, name, value) : BASE_OK;
}

static enum base_code put_finding(const struct verdict_finding *f, struct base_buf *out)
{
	BASE_TRY(base_buf_printf(out, "{\"result\":\"%s\",\"blame\":\"%s\"",
				 verdict_result_word(f->weight), verdict_blame_word(f->blame)));
	BASE_TRY(put_text(out, "rule", f->rule));
	BASE_TRY(put_optional(out, "guarantee", f->guarantee));
	BASE_TRY(put_optional(out, "text", f->text));
	BASE_TRY(put_optional(out, "file", f->file));
	if (f->line > 0)
		BASE_TRY(base_buf_printf(out, ",\"line\":%u,\"column\":%u", f->line, f->column));
	BASE_TRY(base_buf_printf(out, ",\"t_ns\":%llu", (unsigned long long)f->t_ns));
	BASE_TRY(put_optional(out, "expected", f->expected));
	BASE_TRY(put_optional(out, "actual", f->actual));
	return base_buf_char(out, '}');
}

static enum base_code put_invariants(const struct verdict *v, struct base_buf *out)
{
	BASE_TRY(base_buf_text(out, ",\"invariants\":["));
	for (size_t i = 0; i < v->invariant_count; i++) {
		BASE_TRY(base_buf_printf(out, "%s{\"id\":\"%s\",\"state\":\"%s\"", i > 0 ? "," : "",
					 v->invariants[i].id,
					 verdict_state_word(v->invariants[i].state)));
		BASE_TRY(put_optional(out, "why", v->invariants[i].why));
		BASE_TRY(base_buf_char(out, '}'));
	}
	return base_buf_char(out, ']');
}

static enum base_code put_effects(const struct verdict *v, struct base_buf *out)
{
	BASE_TRY(base_buf_text(out, ",\"effects\":["));
	for (size_t i = 0; i < v->effect_count; i++) {
		BASE_TRY(base_buf_printf(out, "%s{\"count\":%llu", i > 0 ? "," : "",
					 (unsigned long long)v->effects[i].count));
		BASE_TRY(put_text(out, "fault", v->effects[i].fault));
		BASE_TRY(put_text(out, "kind", v->effects[i].kind));
		BASE_TRY(base_buf_char(out, '}'));
	}
	return base_buf_char(out, ']');
}

enum base_code report_json_run(const struct report_run *run, struct base_buf *out)
{
	const struct verdict *v = run->verdict;

	BASE_TRY(base_buf_printf(out, "{\"result\":\"%s\"", verdict_result_word(v->result)));
	BASE_TRY(put_text(out, "file", run->file));
	BASE_TRY(put_text(out, "title", run->title));
	BASE_TRY(put_optional(out, "variant", run->variant));
	BASE_TRY(base_buf_printf(out, ",\"seed\":%llu,\"digest\":\"%016llx\",\"virtual_ns\":%llu",
				 (unsigned long long)run->seed, (unsigned long long)v->digest,
				 (unsigned long long)run->end_ns));
	BASE_TRY(base_buf_printf(out, ",\"expectations\":%zu", v->expectation_count));
	BASE_TRY(put_text(out, "repeat", run->command));
	BASE_TRY(base_buf_text(out, ",\"findings\":["));
	for (size_t i = 0; i < v->finding_count; i++) {
		if (i > 0)
			BASE_TRY(base_buf_char(out, ','));
		BASE_TRY(put_finding(&v->findings[i], out));
	}
	BASE_TRY(base_buf_char(out, ']'));
	BASE_TRY(put_invariants(v, out));
	BASE_TRY(put_effects(v, out));
	return base_buf_char(out, '}');
}

enum base_code report_json(const struct report_totals *totals, struct base_str elements,
			   struct base_str coverage, struct base_buf *out)
{
	BASE_TRY(base_buf_printf(out, "{\"passed\":%zu,\"failed\":%zu,\"void\":%zu", totals->passed,
				 totals->failed, totals->void_));
	if (totals->not_run > 0)
		BASE_TRY(base_buf_printf(out, ",\"not_run\":%zu", totals->not_run));
	BASE_TRY(base_buf_str(out, coverage));
	BASE_TRY(base_buf_text(out, ",\"scenarios\":["));
	BASE_TRY(base_buf_str(out, elements));
	return base_buf_text(out, "]}\n");
}
