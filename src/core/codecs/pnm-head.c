/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/pnm-head.h"

#include <string.h>

#define KIND_PAM    7u
#define FIRST_PLAIN 4u /* kinds below are written in figures */
#define MOST_VALUE  65535u
/* Longest line of a PAM's header that is looked at, and the most lines. */
#define LINE_BYTES 256u
#define MOST_LINES 1000u
/* Of a header, comments included. */
#define HEAD_MOST_BYTES 65536u

/* A PAM's TUPLTYPE, and what a PAM without one is taken for: the first of its depth. */
typedef struct
{
  const char *name;
  ThColorModel color;
  gboolean has_alpha;
} Tuple;

static const Tuple tuples[] = {
  { "GRAYSCALE", TH_COLOR_GREY, FALSE },
  { "GRAYSCALE_ALPHA", TH_COLOR_GREY, TRUE },
  { "RGB", TH_COLOR_RGB, FALSE },
  { "RGB_ALPHA", TH_COLOR_RGB, TRUE },
  { "BLACKANDWHITE", TH_COLOR_GREY, FALSE },
  { "BLACKANDWHITE_ALPHA", TH_COLOR_GREY, TRUE },
  { "CMYK", TH_COLOR_CMYK, FALSE },
};

/* What a PAM says, as text. */
typedef struct
{
  guint32 width, height, depth, most;
  char tuple[32];
} Pam;

static gboolean
is_figure (int c)
{
  return c >= '0' && c <= '9';
}

static void
skip_line (ThText *text)
{
  int c;

  do
    c = th_text_take (text);
  while (c >= 0 && c != '\n' && c != '\r');
}

static void
skip_space (ThText *text)
{
  for (int c = th_text_look (text); th_text_is_space (c) || c == '#'; c = th_text_look (text))
    if (c == '#')
      skip_line (text);
    else
      text->at++;
}

gboolean
th_pnm_text_number (ThText *text, guint32 *value)
{
  guint64 number = 0;

  skip_space (text);
  if (!is_figure (th_text_look (text)))
    return FALSE;
  while (is_figure (th_text_look (text)))
    {
      number = number * 10 + (guint64) (th_text_take (text) - '0');
      if (number > G_MAXUINT32)
        return FALSE;
    }
  *value = (guint32) number;
  return TRUE;
}

gboolean
th_pnm_text_bit (ThText *text, guint32 *value)
{
  int c;

  skip_space (text);
  c = th_text_take (text);
  *value = c == '1' ? 1 : 0;
  return c == '0' || c == '1';
}

/* One line without its end, cut to LINE_BYTES; FALSE at the end. */
static gboolean
take_line (ThText *text, char *line)
{
  gsize length = 0;
  int c = th_text_take (text);
  const gboolean there = c >= 0;

  for (; c >= 0 && c != '\n'; c = th_text_take (text))
    if (length + 1 < LINE_BYTES)
      line[length++] = (char) c;
  line[length] = '\0';
  return there;
}

static gboolean
read_field (Pam *pam, const char *name, const char *value)
{
  const struct
  {
    const char *name;
    guint32 *to;
  } numbers[] = { { "WIDTH", &pam->width },
                  { "HEIGHT", &pam->height },
                  { "DEPTH", &pam->depth },
                  { "MAXVAL", &pam->most } };
  guint64 number;

  if (strcmp (name, "TUPLTYPE") == 0)
    g_strlcpy (pam->tuple, value, sizeof pam->tuple);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (strcmp (name, numbers[i].name) == 0)
      {
        if (!g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT32, &number, NULL))
          return FALSE;
        *numbers[i].to = (guint32) number;
      }
  return TRUE;
}

/* Fields up to ENDHDR; those that are not known are skipped. */
static gboolean
read_fields (ThText *text, Pam *pam)
{
  char line[LINE_BYTES];

  for (guint i = 0; i < MOST_LINES && take_line (text, line); i++)
    {
      char *name = g_strstrip (line);
      char *value = name + strcspn (name, " \t");

      if (strcmp (name, "ENDHDR") == 0)
        return TRUE;
      if (*name == '\0' || *name == '#')
        continue;
      if (*value != '\0')
        *value++ = '\0';
      if (!read_field (pam, name, g_strstrip (value)))
        return FALSE;
    }
  return FALSE;
}

static const Tuple *
tuple_of (const Pam *pam)
{
  for (gsize i = 0; i < G_N_ELEMENTS (tuples); i++)
    if (strcmp (pam->tuple, tuples[i].name) == 0
        && pam->depth == (guint) tuples[i].color + tuples[i].has_alpha)
      return &tuples[i];
  for (gsize i = 0; i < G_N_ELEMENTS (tuples); i++)
    if (pam->depth == (guint) tuples[i].color + tuples[i].has_alpha)
      return &tuples[i];
  return NULL;
}

static ThStatus
read_pam (ThPnmHead *head, ThText *text, const char **trouble)
{
  Pam pam = { 0 };
  const Tuple *tuple;

  *trouble = "the header is cut or broken";
  if (!read_fields (text, &pam))
    return TH_STATUS_CORRUPT;
  tuple = tuple_of (&pam);
  *trouble = "its pixels are of no known kind";
  if (tuple == NULL)
    return pam.depth > 0 ? TH_STATUS_NOT_MINE : TH_STATUS_CORRUPT;
  head->size = (ThSize){ pam.width, pam.height };
  head->color = tuple->color;
  head->has_alpha = tuple->has_alpha;
  head->most = pam.most;
  return TH_STATUS_OK;
}

static ThStatus
read_numbers (ThPnmHead *head, ThText *text, const char **trouble)
{
  guint32 most = 1;

  *trouble = "the header is cut or broken";
  head->bitmap = head->kind == 1 || head->kind == 4;
  head->color = head->kind == 3 || head->kind == 6 ? TH_COLOR_RGB : TH_COLOR_GREY;
  head->figures = head->kind < FIRST_PLAIN;
  if (!th_pnm_text_number (text, &head->size.width)
      || !th_pnm_text_number (text, &head->size.height)
      || (!head->bitmap && !th_pnm_text_number (text, &most)))
    return TH_STATUS_CORRUPT;
  head->most = most;
  return th_text_is_space (th_text_take (text)) ? TH_STATUS_OK : TH_STATUS_CORRUPT;
}

ThStatus
th_pnm_head_read (ThPnmHead *head, ThInput *input, const char **trouble)
{
  ThText text = { .input = input, .end = HEAD_MOST_BYTES };
  ThStatus status;
  int next;

  *head = (ThPnmHead){ 0 };
  if (th_text_take (&text) != 'P')
    return TH_STATUS_NOT_MINE;
  head->kind = (guint) (th_text_take (&text) - '0');
  next = th_text_look (&text);
  if (head->kind < 1 || head->kind > KIND_PAM || !(th_text_is_space (next) || next == '#'))
    return TH_STATUS_NOT_MINE;
  status = head->kind == KIND_PAM ? read_pam (head, &text, trouble)
                                  : read_numbers (head, &text, trouble);
  if (status != TH_STATUS_OK)
    return status;
  *trouble = "the largest value is out of range";
  head->pixels = text.offset + text.at;
  return head->most >= 1 && head->most <= MOST_VALUE ? TH_STATUS_OK : TH_STATUS_CORRUPT;
}
