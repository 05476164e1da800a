/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/jpeg-codes.h"

#include <string.h>

#define LENGTH_MAX 16u
/* Sixteen coefficients of 0, and no more of anything (T.81, F.1.2.2). */
#define SYMBOL_ZEROS 0xf0u
#define SYMBOL_END   0x00u

static void
make_quick (ThJpegCodes *codes)
{
  for (guint i = 0; i < G_N_ELEMENTS (codes->quick); i++)
    {
      guint symbol;
      guint length = th_jpeg_codes_look (codes, (guint64) i << (64 - TH_JPEG_QUICK_BITS), &symbol);

      /* A longer code may begin with these bits: then it is not this one that was found. */
      codes->quick[i] = (guint16) (length <= TH_JPEG_QUICK_BITS ? length << 8 | symbol : 0);
    }
}

void
th_jpeg_codes_make (ThJpegCodes *codes, const JHUFF_TBL *table)
{
  guint32 code = 0;
  gint32 value = 0;

  memset (codes, 0, sizeof *codes);
  memcpy (codes->values, table->huffval, sizeof codes->values);
  for (guint length = 1; length <= LENGTH_MAX; length++)
    {
      codes->first[length] = (gint32) code - value;
      code += table->bits[length];
      value += table->bits[length];
      codes->limit[length] = (guint64) code << (32 - length);
      code <<= 1;
    }
  make_quick (codes);
}

guint
th_jpeg_codes_look (const ThJpegCodes *codes, guint64 bits, guint *symbol)
{
  guint quick = codes->quick[bits >> (64 - TH_JPEG_QUICK_BITS)];
  guint32 top = (guint32) (bits >> 32);

  *symbol = quick & 0xff;
  if (G_LIKELY (quick != 0))
    return quick >> 8;
  for (guint length = 1; length <= LENGTH_MAX; length++)
    if (top < codes->limit[length])
      {
        *symbol = codes->values[((gint32) (top >> (32 - length)) - codes->first[length]) & 0xff];
        return length;
      }
  *symbol = 0;
  return LENGTH_MAX + 1;
}

ThJpegRun
th_jpeg_runs_one (const ThJpegRuns *runs, guint64 bits)
{
  guint symbol, length = th_jpeg_codes_look (&runs->codes, bits, &symbol);
  guint size = symbol & 0xf;

  if (size == 0 && symbol != SYMBOL_ZEROS)
    return (ThJpegRun){ length, 1, TRUE };
  return (ThJpegRun){ length + size, (symbol >> 4) + 1, FALSE };
}

/* What the bits of one index hold. */
static guint
find_run (const ThJpegRuns *runs, guint index)
{
  ThJpegRun sum = { 0, 0, FALSE };

  while (!sum.ends)
    {
      guint64 rest = (guint64) index << (64 - TH_JPEG_RUN_BITS) << sum.bits;
      ThJpegRun run = th_jpeg_runs_one (runs, rest);

      if (sum.bits + run.bits > TH_JPEG_RUN_BITS || sum.advance + run.advance > DCTSIZE2)
        break;
      sum = (ThJpegRun){ sum.bits + run.bits, sum.advance + run.advance, run.ends };
    }
  return sum.bits | sum.advance << 4 | (sum.ends ? 1u << 11 : 0);
}

static void
find_end_of_block (ThJpegRuns *runs, const JHUFF_TBL *table)
{
  guint32 code = 0;
  guint value = 0;

  for (guint length = 1; length <= LENGTH_MAX; length++, code <<= 1)
    for (guint i = 0; i < table->bits[length]; i++, code++, value++)
      if (table->huffval[value & 0xff] == SYMBOL_END)
        {
          runs->end_of_block = (guint64) code << (64 - length);
          runs->end_of_block_bits = length;
          return;
        }
}

void
th_jpeg_runs_make (ThJpegRuns *runs, const JHUFF_TBL *table)
{
  memset (runs, 0, sizeof *runs);
  th_jpeg_codes_make (&runs->codes, table);
  find_end_of_block (runs, table);
  for (guint i = 0; i < G_N_ELEMENTS (runs->runs); i++)
    runs->runs[i] = (guint16) find_run (runs, i);
}
