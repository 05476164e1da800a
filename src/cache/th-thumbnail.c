/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <math.h>
#include <string.h>

#include "cache/th-cache.h"

#define MAX_ENTRIES    11
#define MAX_MIME_TYPE  255 /* RFC 6838: 127 + 1 + 127 */
#define LONGEST_LENGTH 1e15

/* Entries with the values that they own. */
typedef struct
{
  ThPngTextEntry entries[MAX_ENTRIES];
  char *owned[MAX_ENTRIES];
  guint n;
} TextList;

static void
text_list_clear (TextList *list)
{
  for (guint i = 0; i < list->n; i++)
    g_free (list->owned[i]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TextList, text_list_clear)

static void
add (TextList *list, const char *keyword, char *owned)
{
  g_assert (list->n < MAX_ENTRIES);
  list->entries[list->n] = (ThPngTextEntry){ keyword, owned };
  list->owned[list->n++] = owned;
}

static void
add_u64 (TextList *list, const char *keyword, guint64 value)
{
  add (list, keyword, g_strdup_printf ("%" G_GUINT64_FORMAT, value));
}

/* restricted-name of RFC 6838, 4.2, on both sides of one slash. */
static gboolean
is_mime_type (const char *text)
{
  const char *slash = strchr (text, '/');

  if (!slash || slash == text || slash[1] == '\0' || strchr (slash + 1, '/')
      || strnlen (text, MAX_MIME_TYPE + 1) > MAX_MIME_TYPE)
    return FALSE;
  for (const char *at = text; *at != '\0'; at++)
    {
      if (!g_ascii_isalnum (*at) && !strchr ("/!#$&-^_.+", *at))
        return FALSE;
    }
  return TRUE;
}

static void
add_identity (TextList *list, const ThThumbnailInfo *info)
{
  add (list, "Thumb::URI", g_strdup (info->uri));
  add (list, "Thumb::MTime", g_strdup_printf ("%" G_GINT64_FORMAT, info->stamp.mtime));
  add_u64 (list, "Thumb::Size", info->stamp.size);
}

static void
add_description (TextList *list, const ThThumbnailInfo *info)
{
  if (info->mime_type && is_mime_type (info->mime_type))
    add (list, "Thumb::Mimetype", g_strdup (info->mime_type));
  if (info->full.width > 0 && info->full.height > 0)
    {
      add_u64 (list, "Thumb::Image::Width", info->full.width);
      add_u64 (list, "Thumb::Image::Height", info->full.height);
    }
  if (info->pages > 1)
    add_u64 (list, "Thumb::Document::Pages", info->pages);
  if (info->duration > 0 && info->duration < LONGEST_LENGTH)
    add_u64 (list, "Thumb::Movie::Length", (guint64) round (info->duration));
}

GBytes *
th_thumbnail_file (const ThPngBody *body, const ThThumbnailInfo *info, const char *software)
{
  g_auto (TextList) list = { 0 };

  if (info->uri)
    add_identity (&list, info);
  add_description (&list, info);
  if (software)
    add (&list, "Software", g_strdup (software));
  if (info->uri)
    add (&list, TH_STAMP_KEY, th_stamp_to_text (&info->stamp));
  return th_png_assemble (body, list.entries, list.n);
}
