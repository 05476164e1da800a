/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "service/th-portion.h"

#include <string.h>

guint
th_portion_length (const char *const *uris, guint n)
{
  g_autoptr (GHashTable) seen = NULL;
  gsize bytes = 0;

  /* One file at a time is the usual case. */
  if (n == 1)
    return 1;
  seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < n; i++)
    {
      bytes += strlen (uris[i]) + 1;
      if (i > 0 && bytes > TH_PORTION_BYTES)
        return i;
      if (!g_hash_table_add (seen, (gpointer) uris[i]))
        return i;
    }
  return n;
}
