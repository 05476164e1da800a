/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/text.h"

int
th_text_look (ThText *text)
{
  if (text->at >= text->view.size)
    {
      text->offset += text->at;
      text->at = 0;
      text->view = th_input_peek (text->input, text->offset, 1);
    }
  if (text->view.size == 0 || text->offset + text->at >= text->end)
    return -1;
  return text->view.data[text->at];
}

int
th_text_take (ThText *text)
{
  const int c = th_text_look (text);

  text->at += c >= 0 ? 1 : 0;
  return c;
}

gboolean
th_text_is_space (int c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}
