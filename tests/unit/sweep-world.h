/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A cache to be swept, with entries of every kind, each of a known number of bytes and age. */
#pragma once

#include "cache-world.h"
#include "cache/th-sweep.h"

#define SWEEP_DAY (24 * 3600)

/* The times of a file, that many seconds ago. */
void sweep_set_ages (const char *path, gint64 read, gint64 written);
/* An entry of a URI that has this name at its end, last used so many seconds ago; its path. Caller
 * frees. */
char *sweep_entry (World *world, ThFlavor flavor, const char *name, gint64 age);
/* A file within the root with this text. Caller frees. */
char *sweep_file (World *world, const char *name, const char *text, gint64 age);
/* Of the entry as the disk has it. */
guint64 sweep_bytes (const char *path);

/* The budget of nothing being too much. */
ThSweepOptions sweep_options (void);
/* Ends well. */
ThSweepTally sweep_run (World *world, const ThSweepOptions *options);

#define sweep_assert_stays(path) g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS))
#define sweep_assert_went(path)  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS))
