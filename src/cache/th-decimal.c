/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-decimal.h"

gboolean
th_decimal_u64 (const char **cursor, guint64 *value)
{
  const char *at = *cursor;
  guint64 sum = 0;

  if (!g_ascii_isdigit (*at) || (*at == '0' && g_ascii_isdigit (at[1])))
    return FALSE;
  for (; g_ascii_isdigit (*at); at++)
    {
      if (!g_uint64_checked_mul (&sum, sum, 10)
          || !g_uint64_checked_add (&sum, sum, (guint64) (*at - '0')))
        return FALSE;
    }
  *value = sum;
  *cursor = at;
  return TRUE;
}

gboolean
th_decimal_i64 (const char **cursor, gint64 *value)
{
  gboolean negative = **cursor == '-';
  const char *at = *cursor + (negative ? 1 : 0);
  guint64 limit = (guint64) G_MAXINT64 + (negative ? 1 : 0);
  guint64 magnitude;

  if (!th_decimal_u64 (&at, &magnitude) || magnitude > limit || (negative && magnitude == 0))
    return FALSE;
  /* Negated as an unsigned number, because the smallest one has no positive counterpart. */
  *value = (gint64) (negative ? 0 - magnitude : magnitude);
  *cursor = at;
  return TRUE;
}

gboolean
th_decimal_fraction (const char **cursor, guint32 *billionths)
{
  const char *at = *cursor;
  guint32 sum = 0;
  guint digits = 0;

  if (!g_ascii_isdigit (*at))
    return FALSE;
  for (; g_ascii_isdigit (*at); at++)
    {
      if (digits == 9)
        continue;
      sum = sum * 10 + (guint32) (*at - '0');
      digits++;
    }
  for (; digits < 9; digits++)
    sum *= 10;
  *billionths = sum;
  *cursor = at;
  return TRUE;
}
