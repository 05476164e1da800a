/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program of ours as it was when this process began, also after an upgrade has put another one in
 * its place: the two halves of one version stay together. */
#pragma once

#include <glib.h>
#include <sys/stat.h>

typedef struct
{
  char *path;
  int fd; /* O_PATH; -1: there was none */
  struct stat st;
} ThProgram;

void th_program_init (ThProgram *program, const char *path);
void th_program_clear (ThProgram *program);
/* Whether another file, or none, is at its path by now. FALSE where there was none to begin with.
 */
gboolean th_program_is_replaced (const ThProgram *program);
/* What to execute. Caller frees. */
char *th_program_to_run (const ThProgram *program);
