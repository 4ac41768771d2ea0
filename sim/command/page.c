#include "sim/command/page.h"

#ifndef RELIST_VERSION
#define RELIST_VERSION "0"
#endif

static const char overview[] =
	"relist runs Kubernetes informers against a fake API server on a virtual clock and\n"
	"judges what they did.\n";
static const char exits[] =
	"0 all held; 1 a guarantee broke; 2 the input or the command line is wrong;\n"
	"3 the harness failed, or a run proved nothing (void)\n";

void page_overview(FILE *out)
{
	fprintf(out, "%s\nusage: relist COMMAND [OPTION…] [ARGUMENT…]\n\n", overview);
	for (size_t i = 0; commands[i] != NULL; i++)
		if (!commands[i]->hidden)
			fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	fprintf(out, "\n  relist COMMAND --help   tells more\n  relist --version\n\nexit codes: %s",
		exits);
}

void page_help(const struct command *command, FILE *out)
{
	fprintf(out, "usage: relist %s [OPTION…]%s%s\n\n%s.\n", command->name,
		command->arguments[0] != '\0' ? " " : "", command->arguments, command->summary);
	if (command->text[0] != '\0')
		fprintf(out, "\n%s\n", command->text);
	fprintf(out, "\noptions:\n");
	for (size_t i = 0; i < command->option_count; i++) {
		const struct command_option *o = &command->options[i];
		char left[64];

		snprintf(left, sizeof(left), "--%s%s%s", o->name, o->argument != NULL ? " " : "",
			 o->argument != NULL ? o->argument : "");
		fprintf(out, "  %-22s %s\n", left, o->help);
	}
	fprintf(out, "  %-22s %s\n\nexit codes: %s", "--help", "this text", exits);
}

/* ---- The man page ---- */

static void troff(const char *text, FILE *out)
{
	bool line_start = true;

	for (; *text != '\0'; text++) {
		if (line_start && (*text == '.' || *text == '\''))
			fputs("\\&", out);
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else
			fputc(*text, out);
		line_start = *text == '\n';
	}
}

void page_man(FILE *out)
{
	fprintf(out, ".TH RELIST 1 \"\" \"relist %s\" \"User Commands\"\n.SH NAME\n",
		RELIST_VERSION);
	fprintf(out, "relist \\- conformance tests for Kubernetes informers on a virtual clock\n");
	fprintf(out,
		".SH SYNOPSIS\n.B relist\n.I COMMAND\n[\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n");
	fprintf(out, ".SH DESCRIPTION\n");
	troff(overview, out);
	fprintf(out, ".SH COMMANDS\n");
	for (size_t i = 0; commands[i] != NULL; i++) {
		const struct command *c = commands[i];

		fprintf(out, ".SS \"relist %s [OPTION...] ", c->name);
		troff(c->arguments, out);
		fprintf(out, "\"\n");
		troff(c->summary, out);
		fprintf(out, ".\n.PP\n");
		troff(c->text, out);
		fprintf(out, "\n");
		for (size_t k = 0; k < c->option_count; k++) {
			fprintf(out, ".TP\n\\fB\\-\\-");
			troff(c->options[k].name, out);
			fprintf(out, "\\fR");
			if (c->options[k].argument != NULL)
				fprintf(out, " \\fI%s\\fR", c->options[k].argument);
			fprintf(out, "\n");
			troff(c->options[k].help, out);
			fprintf(out, "\n");
		}
	}
	fprintf(out, ".SH EXIT STATUS\n");
	troff(exits, out);
}

/* ---- Completions ---- */

static void bash_completion(FILE *out)
{
	fprintf(out, "_relist() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} words\n"
		     "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\twords='--help --version");
	for (size_t i = 0; commands[i] != NULL; i++)
		fprintf(out, " %s", commands[i]->name);
	fprintf(out, "'\n\telse\n\t\tcase ${COMP_WORDS[1]} in\n");
	for (size_t i = 0; commands[i] != NULL; i++) {
		fprintf(out, "\t\t%s) words='--help", commands[i]->name);
		for (size_t k = 0; k < commands[i]->option_count; k++)
			fprintf(out, " --%s", commands[i]->options[k].name);
		fprintf(out, "' ;;\n");
	}
	fprintf(out, "\t\tesac\n\tfi\n\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
		     "\t[ \"${cur:0:1}\" = - ] || COMPREPLY+=($(compgen -f -- \"$cur\"))\n}\n"
		     "complete -o filenames -F _relist relist\n");
}

/* Text inside single quotes of a shell; zsh wants brackets and colons escaped as well. */
static void quoted(const char *text, bool zsh, FILE *out)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			fputs("'\\'", out);
		else if (zsh && (*text == '[' || *text == ']' || *text == ':'))
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void zsh_completion(FILE *out)
{
	fprintf(out, "#compdef relist\nif (( CURRENT == 2 )); then\n\tlocal -a c=(\n");
	for (size_t i = 0; commands[i] != NULL; i++) {
		fprintf(out, "\t\t'%s:", commands[i]->name);
		quoted(commands[i]->summary, true, out);
		fprintf(out, "'\n");
	}
	fprintf(out, "\t)\n\t_describe command c\n\treturn\nfi\ncase $words[2] in\n");
	for (size_t i = 0; commands[i] != NULL; i++) {
		fprintf(out, "%s) _arguments '--help[this text]'", commands[i]->name);
		for (size_t k = 0; k < commands[i]->option_count; k++) {
			fprintf(out, " \\\n\t'--%s[", commands[i]->options[k].name);
			quoted(commands[i]->options[k].help, true, out);
			fprintf(out, "]%s'",
				commands[i]->options[k].argument != NULL ? ":value:_files" : "");
		}
		fprintf(out, " \\\n\t'*:file:_files' ;;\n");
	}
	fprintf(out, "esac\n");
}

static void fish_completion(FILE *out)
{
	for (size_t i = 0; commands[i] != NULL; i++) {
		const struct command *c = commands[i];

		fprintf(out, "complete -c relist -n __fish_use_subcommand -a %s -d '", c->name);
		quoted(c->summary, false, out);
		fprintf(out, "'\n");
		for (size_t k = 0; k < c->option_count; k++) {
			fprintf(out,
				"complete -c relist -n '__fish_seen_subcommand_from %s' -l %s%s -d '",
				c->name, c->options[k].name,
				c->options[k].argument != NULL ? " -r" : "");
			quoted(c->options[k].help, false, out);
			fprintf(out, "'\n");
		}
	}
}

bool page_completion(const char *shell, FILE *out)
{
	if (strcmp(shell, "bash") == 0)
		bash_completion(out);
	else if (strcmp(shell, "zsh") == 0)
		zsh_completion(out);
	else if (strcmp(shell, "fish") == 0)
		fish_completion(out);
	else
		return false;
	return true;
}

/* ---- The two commands that print them ---- */

static int run_completion(const struct command_line *line)
{
	if (line->arg_count == 1 && page_completion(line->args[0], stdout))
		return COMMAND_HELD;
	return command_usage("completion: expected one of bash, zsh, fish");
}

static int run_man(const struct command_line *line)
{
	if (line->arg_count > 0)
		return command_usage("man: takes no argument");
	page_man(stdout);
	return COMMAND_HELD;
}

const struct command command_completion = {
	.name = "completion",
	.arguments = "bash|zsh|fish",
	.summary = "print the completions for a shell",
	.text = "For example: source <(relist completion bash)",
	.run = run_completion,
};

const struct command command_man = {
	.name = "man",
	.arguments = "",
	.summary = "print the manual page",
	.text = "For example: relist man > relist.1",
	.run = run_man,
};
