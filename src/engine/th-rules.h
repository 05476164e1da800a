/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which files get a thumbnail at all: the rules that a person wrote down in thimble.conf or, as
 * tumbler understands them, in tumbler.rc. Asks nobody but itself: no file is looked at.
 *
 *   [rules]             # for all files
 *   exclude=~/Private;  # nothing in these folders, nor these files
 *   include=~;/media;   # nothing but what is in one of these
 *   max-file-mib=100    # no larger file; 0: any
 *   [rules jpeg]        # the same once more for one format, named as its codec is; "external":
 *                       # those that other programs make
 *   enabled=false
 */
#pragma once

#include <glib.h>

#include "engine/th-conf.h"

typedef struct _ThRules ThRules;

/* No rules. */
ThRules *th_rules_new (void);
ThRules *th_rules_ref (ThRules *rules);
void th_rules_unref (ThRules *rules);
/* What makes no sense is a problem and does not count, but a folder that cannot be understood in a
 * list of the only ones allowed allows nothing. */
ThRules *th_rules_from_conf (ThConf *conf);
/* Groups are thumbnailers of tumbler, each for the formats that it makes there. A format that
 * several make is left out only where all of them are told to, as there. */
ThRules *th_rules_from_tumbler (ThConf *conf);

/* Complains of groups for formats that are none of these. */
void th_rules_check_codecs (const ThRules *rules, const char *const *codecs, ThConf *conf);

typedef enum
{
  TH_RULES_PLACE, /* excluded and included folders only: what forbids a thumbnail that exists, too
                   */
  TH_RULES_ALL,
} ThRulesScope;

typedef struct
{
  const char *path;      /* absolute and canonical */
  const char *real_path; /* the same without symlinks, or NULL: excluded by either */
  guint64 size;          /* bytes */
  const char *codec;     /* "jpeg"; "" where the type tells none */
} ThRulesFile;

gboolean th_rules_are_empty (const ThRules *rules);
/* NULL: allowed. Else the rule that forbids it, as it stands in the file, and where. Caller
 * frees. */
char *th_rules_forbid (const ThRules *rules, const ThRulesFile *file, ThRulesScope scope);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThRules, th_rules_unref)
