/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names that programs give to files while they download or write them. Knows no file. */
#pragma once

#include <glib.h>

/* name: without folders. NULL: it is none of those; else whose habit it is. */
const char *th_partial_writer (const char *name);
