/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-restamp.h"

#include <string.h>

#include "base/th-error.h"
#include "cache/th-png-rewrite.h"
#include "cache/th-png-text.h"
#include "cache/th-uri.h"

/* Of the text that is kept: with the longest URI it is still far from what readers stop at. */
#define MAX_KEPT (16u * 1024u)

static const char *const identity[] = {
  "Thumb::URI", "Thumb::MTime", "Thumb::Size", TH_STAMP_KEY, NULL,
};

static void
add (GArray *entries, const char *keyword, const char *value)
{
  const ThPngTextEntry entry = { keyword, value };

  g_array_append_val (entries, entry);
}

static void
add_kept (GArray *entries, const ThPngText *text)
{
  const char *keyword, *value;
  gsize at = 0, before = 0, kept = 0;

  while (th_png_text_next (text, &at, &keyword, &value))
    {
      gsize length = at - before;

      before = at;
      if (g_strv_contains (identity, keyword) || kept + length > MAX_KEPT)
        continue;
      add (entries, keyword, value);
      kept += length;
    }
}

GBytes *
th_restamp (const guint8 *data, gsize size, const char *uri, const ThStamp *stamp, GError **error)
{
  g_autoptr (ThPngText) text = NULL;
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (ThPngTextEntry));
  g_autofree char *mtime = g_strdup_printf ("%" G_GINT64_FORMAT, stamp->mtime);
  g_autofree char *bytes = g_strdup_printf ("%" G_GUINT64_FORMAT, stamp->size);
  g_autofree char *state = th_stamp_to_text (stamp);

  if (!th_uri_is_recordable (uri))
    {
      g_set_error_literal (error, TH_ERROR, TH_ERROR_SAVE_FAILED, "the URI cannot be recorded");
      return NULL;
    }
  text = th_png_text_parse (data, size, error);
  if (!text)
    return NULL;
  add (entries, "Thumb::URI", uri);
  add (entries, "Thumb::MTime", mtime);
  add (entries, "Thumb::Size", bytes);
  add_kept (entries, text);
  add (entries, TH_STAMP_KEY, state);
  return th_png_rewrite (data, size, (const ThPngTextEntry *) entries->data, entries->len, error);
}
