/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "wire/th-plan.h"

#include <math.h>
#include <string.h>

/* RFC 6838, 4.2. */
#define MIME_CHARACTERS G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "!#$&-^_.+"
#define NAME_CHARACTERS G_CSET_a_2_z G_CSET_DIGITS "-_."

gboolean
th_layout_init (ThLayout *layout, ThSize full, gboolean scalable, guint channels,
                const guint32 *boxes, guint n_boxes)
{
  gsize total = 0;

  g_return_val_if_fail (n_boxes >= 1 && n_boxes <= TH_N_FLAVORS, FALSE);
  *layout = (ThLayout){ .n = n_boxes, .channels = channels };
  for (guint i = 0; i < n_boxes; i++)
    {
      ThSize size = scalable ? th_fit_scalable (full, boxes[i]) : th_fit (full, boxes[i]);
      gsize bytes;

      if (!g_size_checked_mul (&bytes, size.width, size.height)
          || !g_size_checked_mul (&bytes, bytes, channels))
        return FALSE;
      layout->sizes[i] = size;
      layout->offsets[i] = total;
      if (!g_size_checked_add (&total, total, bytes))
        return FALSE;
    }
  layout->total = total;
  return total <= G_MAXINT64;
}

gboolean
th_plan_may_say (guint32 status)
{
  return status < TH_STATUS_CRASHED && status != TH_STATUS_STOPPED;
}

static gboolean
all_of (const char *text, gsize length, const char *allowed)
{
  return length > 0 && strspn (text, allowed) >= length;
}

gboolean
th_plan_is_mime_type (const char *text)
{
  const char *slash = strchr (text, '/');

  return slash != NULL && all_of (text, (gsize) (slash - text), MIME_CHARACTERS)
         && all_of (slash + 1, strlen (slash + 1), MIME_CHARACTERS);
}

const char *
th_plan_fault (const ThWirePlan *plan, const ThLimits *limits)
{
  if (th_limits_check_size (limits, plan->full.width, plan->full.height, NULL) != TH_STATUS_OK)
    return "a size beyond the limit";
  if (plan->channels != 3 && plan->channels != 4)
    return "an impossible number of channels";
  if (plan->scalable > 1 || plan->ahead > 1)
    return "a flag that is neither 0 nor 1";
  if (!isfinite (plan->duration) || plan->duration < 0)
    return "an impossible duration";
  if (!all_of (plan->codec, strlen (plan->codec), NAME_CHARACTERS))
    return "an impossible codec name";
  if (!th_plan_is_mime_type (plan->mime_type))
    return "an impossible MIME type";
  return NULL;
}

/* Controls, and format characters that turn the direction of what follows. */
static gboolean
is_unfit (gunichar c)
{
  GUnicodeType type = g_unichar_type (c);

  return type == G_UNICODE_CONTROL || type == G_UNICODE_FORMAT || type == G_UNICODE_LINE_SEPARATOR
         || type == G_UNICODE_PARAGRAPH_SEPARATOR;
}

char *
th_plan_safe_text (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  GString *safe = g_string_new (NULL);

  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      g_string_append_unichar (safe, is_unfit (c) ? ' ' : c);
    }
  return g_string_free (safe, FALSE);
}
