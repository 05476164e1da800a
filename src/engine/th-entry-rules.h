/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For which files an entry is used: the keys that tumbler understands in one. Opens no source. */
#pragma once

#include <glib.h>

typedef struct
{
  gboolean disabled;
  int priority;         /* higher comes first */
  guint64 max_bytes;    /* 0: any */
  gboolean restricted;  /* to the locations, even if none could be understood */
  GPtrArray *locations; /* ThPlace */
  GPtrArray *excludes;
} ThEntryRules;

/* Keys Disabled, Priority, MaxFileSize, Locations, Excludes; one that is missing, or makes no
 * sense, means no rule. Folders are written as in th-place.h. Overwrites rules. */
void th_entry_rules_read (ThEntryRules *rules, GKeyFile *file, const char *group);
void th_entry_rules_clear (ThEntryRules *rules);
/* path is absolute and canonical. */
gboolean th_entry_rules_allow (const ThEntryRules *rules, const char *path, guint64 bytes);
