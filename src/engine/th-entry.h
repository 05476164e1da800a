/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One .thumbnailer entry: what it says, and the command it means for a file. Runs nothing. */
#pragma once

#include <glib.h>

#include "engine/th-entry-rules.h"

typedef struct
{
  char *name; /* of the file, without folder */
  char *path;
  char *try_exec; /* NULL: none */
  char **words;   /* of Exec, with their macros */
  char **types;   /* lower case */
  ThEntryRules rules;
} ThEntry;

/* NULL: no such file, no key file, no Exec with both an input (%u or %i) and an output (%o), or no
 * type; error says which. Disabled ones are entries too. Shared, by references. */
ThEntry *th_entry_load (const char *path, GError **error);
ThEntry *th_entry_ref (ThEntry *entry);
void th_entry_unref (ThEntry *entry);

typedef struct
{
  const char *input;  /* path */
  const char *output; /* path */
  guint size;
} ThEntryValues;

/* The command, word by word: %u %i %o %s %% within words; %m vanishes, with its word where that is
 * all of it; of another %x the x stays. Caller frees. */
char **th_entry_expand (const ThEntry *entry, const ThEntryValues *values);
/* Whether TryExec, if any, names a program that is there. */
gboolean th_entry_is_installed (const ThEntry *entry);
/* For people: the program's name without folder. */
char *th_entry_program (const ThEntry *entry);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThEntry, th_entry_unref)
