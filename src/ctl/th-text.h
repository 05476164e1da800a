/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text that holds names of files, for a terminal or for a program that reads lines. */
#pragma once

#include <glib.h>

/* Valid UTF-8 in which no control character is left that a terminal would act on. Caller frees. */
char *th_text_for_people (const char *text);
/* The bytes as they are, but backslash and ASCII control characters escaped as in C: \\, \t, \n,
 * \r, else three octal digits. Caller frees. */
char *th_text_for_field (const char *text);
