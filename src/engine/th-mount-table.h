/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One reading of mountinfo: which mount is seen at which point. Touches nothing. */
#pragma once

#include "engine/th-mounts.h"

typedef struct _ThMountTable ThMountTable;

/* text need not end with a zero; lines that are none are left out. home: a path without symlinks
 * whose mount is never apart, or NULL. */
ThMountTable *th_mount_table_new (const char *text, gsize size, const char *home);
ThMountTable *th_mount_table_ref (ThMountTable *table);
void th_mount_table_unref (ThMountTable *table);

/* The mount that is seen at exactly this point, or NULL. point is canonical. Borrowed, as below. */
ThMount *th_mount_table_at (const ThMountTable *table, const char *point);
/* The one for what no mount is known of: not apart, with an empty point. */
ThMount *th_mount_table_none (const ThMountTable *table);
/* Whether mounts that lie below this one, apart, are reached without its answering: the kernel
 * keeps those of autofs, and where the root or what is above home does not answer nothing works
 * anyhow. */
gboolean th_mount_table_is_passed (const ThMountTable *table, const ThMount *mount);

/* The same mount, apart. Caller unrefs. */
ThMount *th_mount_new_apart (const ThMount *mount);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThMountTable, th_mount_table_unref)
