/* Texts made from the table of commands: help, man page, shell completions. */
#ifndef SIM_COMMAND_PAGE_H
#define SIM_COMMAND_PAGE_H

#include "sim/command/command.h"

void page_overview(FILE *out);
void page_help(const struct command *command, FILE *out);
void page_man(FILE *out); /* troff */
/* shell: "bash", "zsh", "fish". False: another word. */
bool page_completion(const char *shell, FILE *out);

#endif
