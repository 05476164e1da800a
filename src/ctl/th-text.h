/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text that holds names of files, for a terminal or for a program that reads lines. */
#pragma once

#include <glib.h>

/* Valid UTF-8 in which no control character is left that a terminal would act on, nor one that
 * turns the direction of the line. Caller frees. */
char *th_text_for_people (const char *text);
/* The bytes as they are, but backslash and ASCII control characters escaped as in C: \\, \t, \n,
 * \r, else three octal digits. Caller frees. */
char *th_text_for_field (const char *text);
/* Of an error message, which names each of its files, has a line for each and may begin with
 * "(domain NAME, code N) ", what it says of this one; all of it where the URI is not in it. path
 * may be NULL. Caller frees. */
char *th_text_about (const char *message, const char *uri, const char *path);
