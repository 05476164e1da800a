/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For which files a handler is used: the keys that tumbler gives to one, read from any group of a
 * key file. Opens no source. */
#pragma once

#include <glib.h>

typedef struct
{
  gboolean disabled;
  int priority;      /* higher comes first */
  guint64 max_bytes; /* 0: any */
  char **locations;  /* if not empty the source must lie below one of them; paths */
  char **excludes;   /* and below none of these */
} ThEntryRules;

/* Keys Disabled, Priority, MaxFileSize, Locations, Excludes; one that is missing, or makes no
 * sense, means no rule. ~, ~USER, $VAR and ${VAR} in folders are expanded; folders may be file:
 * URIs. Overwrites rules. */
void th_entry_rules_read (ThEntryRules *rules, GKeyFile *file, const char *group);
void th_entry_rules_clear (ThEntryRules *rules);
/* path is absolute and canonical. */
gboolean th_entry_rules_allow (const ThEntryRules *rules, const char *path, guint64 bytes);
/* What a folder in such a list means: an absolute, canonical path; NULL where it means none. Caller
 * frees. */
char *th_entry_rules_expand (const char *folder);
