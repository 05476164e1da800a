/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a person may set about programs of others that make thumbnails. */
#pragma once

#include <glib.h>

typedef struct
{
  char **folders;             /* of .thumbnailer entries; NULL: those of XDG */
  gboolean allow_unsandboxed; /* run them bare where they cannot be locked in, default FALSE */
  guint32 wall_ms;            /* elapsed time of one run, default 20 000 */
  guint64 memory_bytes;       /* of each process, default 1 GiB */
} ThExternalOptions;

void th_external_options_init (ThExternalOptions *options);
void th_external_options_clear (ThExternalOptions *options);
