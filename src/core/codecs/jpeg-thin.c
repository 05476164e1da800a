/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/jpeg-thin.h"

#include "core/codecs/jpeg-bits.h"
#include "core/codecs/jpeg-codes.h"

/* What is put out at once; libjpeg has a slower way for the last few hundred bytes of a buffer. */
#define OUT_BYTES (64u * 1024u)
/* More than the longest MCU: ten blocks of 64 codes of at most 31 bits, every byte stuffed. */
#define MCU_BYTES (8u * 1024u)

/* One block of an MCU. */
typedef struct
{
  const ThJpegCodes *dc;
  const ThJpegRuns *ac;
  gboolean mean; /* nothing but the first coefficient is looked at */
} Block;

struct _ThJpegThin
{
  ThJpegBitsIn in;
  ThJpegBitsOut out;
  Block blocks[D_MAX_BLOCKS_IN_MCU];
  guint n_blocks;
  guint64 left;     /* MCUs of the scan */
  guint64 interval; /* MCUs between restart markers; 0: none */
  guint64 until;    /* MCUs to the next one */
  gboolean have_dc[NUM_HUFF_TBLS];
  gboolean have_ac[NUM_HUFF_TBLS];
  ThJpegCodes dc[NUM_HUFF_TBLS];
  ThJpegRuns ac[NUM_HUFF_TBLS];
  guint8 bytes[OUT_BYTES];
};

/* FALSE where the data end within the code. */
static inline gboolean
copy_first (ThJpegBitsIn *in, ThJpegBitsOut *out, const ThJpegCodes *codes)
{
  guint n;

  th_jpeg_bits_fill (in);
  n = th_jpeg_codes_first (codes, in->bits);
  if (G_UNLIKELY (n > in->count))
    return FALSE;
  th_jpeg_bits_put (out, in->bits, n);
  th_jpeg_bits_drop (in, n);
  return TRUE;
}

/* The other coefficients of a block. */
static inline gboolean
pass_others (ThJpegBitsIn *in, ThJpegBitsOut *out, const ThJpegRuns *runs, gboolean copy)
{
  guint place = 1;
  ThJpegRun run = { 0 };

  while (place < DCTSIZE2 && !run.ends)
    {
      th_jpeg_bits_fill (in);
      run = th_jpeg_runs_next (runs, in->bits, place);
      if (G_UNLIKELY (run.bits > in->count))
        return FALSE;
      if (copy)
        th_jpeg_bits_put (out, in->bits, run.bits);
      th_jpeg_bits_drop (in, run.bits);
      place += run.advance;
    }
  if (!copy)
    th_jpeg_bits_put (out, runs->end_of_block, runs->end_of_block_bits);
  return TRUE;
}

static inline gboolean
thin_mcu (const ThJpegThin *thin, ThJpegBitsIn *in, ThJpegBitsOut *out)
{
  for (guint i = 0; i < thin->n_blocks; i++)
    {
      const Block *block = &thin->blocks[i];

      if (!copy_first (in, out, block->dc))
        return FALSE;
      if (block->mean ? !pass_others (in, out, block->ac, FALSE)
                      : !pass_others (in, out, block->ac, TRUE))
        return FALSE;
    }
  return TRUE;
}

/* Whole MCUs while there is room. FALSE where the data end within one. */
static gboolean
thin_mcus (ThJpegThin *thin)
{
  ThJpegBitsIn in = thin->in;
  ThJpegBitsOut out = thin->out;
  gboolean whole = TRUE;

  for (; whole && thin->until > 0 && out.size + MCU_BYTES <= OUT_BYTES; thin->until--, thin->left--)
    whole = thin_mcu (thin, &in, &out);
  thin->in = in;
  thin->out = out;
  return whole;
}

static void
drop_all (ThJpegBitsIn *in)
{
  in->bits = 0;
  in->count = 0;
}

/* The marker at or after the place where the bits ended. Data in front of it are left over. */
static gboolean
find_marker (ThJpegBitsIn *in, guint8 *code)
{
  while (!in->ended)
    {
      drop_all (in);
      th_jpeg_bits_fill_slowly (in);
    }
  drop_all (in);
  if (in->stop - in->next < 2)
    return FALSE;
  *code = in->next[1];
  return TRUE;
}

/* Goes on behind a restart marker; FALSE where there is none. */
static gboolean
restart (ThJpegThin *thin)
{
  guint8 code;

  if (!find_marker (&thin->in, &code) || code < JPEG_RST0 || code > JPEG_RST0 + 7
      || thin->interval == 0)
    return FALSE;
  thin->out.bytes[thin->out.size++] = 0xff;
  thin->out.bytes[thin->out.size++] = code;
  thin->in.next += 2;
  thin->in.ended = FALSE;
  thin->left -= MIN (thin->left, thin->until);
  thin->until = MIN (thin->interval, thin->left);
  return thin->until > 0;
}

/* What libjpeg gets next. */
static ThBytes
hand_out (ThJpegSource *source, gpointer data)
{
  ThJpegThin *thin = data;
  gboolean whole;

  thin->out.size = 0;
  whole = thin_mcus (thin);
  if (whole && thin->until > 0)
    return (ThBytes){ thin->bytes, thin->out.size };
  if (!whole && thin->in.count > 0)
    th_jpeg_bits_put (&thin->out, thin->in.bits, thin->in.count);
  th_jpeg_bits_pad (&thin->out);
  if (!restart (thin))
    th_jpeg_source_unfilter (source, th_jpeg_bits_tell (&thin->in));
  return (ThBytes){ thin->bytes, thin->out.size };
}

/* The table of a component, made when the first one asks for it. */
static const ThJpegCodes *
dc_codes (ThJpegThin *thin, const struct jpeg_decompress_struct *cinfo, int number)
{
  if (!thin->have_dc[number])
    th_jpeg_codes_make (&thin->dc[number], cinfo->dc_huff_tbl_ptrs[number]);
  thin->have_dc[number] = TRUE;
  return &thin->dc[number];
}

static const ThJpegRuns *
ac_runs (ThJpegThin *thin, const struct jpeg_decompress_struct *cinfo, int number)
{
  if (!thin->have_ac[number])
    th_jpeg_runs_make (&thin->ac[number], cinfo->ac_huff_tbl_ptrs[number]);
  thin->have_ac[number] = TRUE;
  return &thin->ac[number];
}

/* FALSE where no block can be cut short. */
static gboolean
list_blocks (ThJpegThin *thin, const struct jpeg_decompress_struct *cinfo)
{
  gboolean any = FALSE;

  thin->n_blocks = (guint) cinfo->blocks_in_MCU;
  for (guint i = 0; i < thin->n_blocks; i++)
    {
      const jpeg_component_info *component = cinfo->cur_comp_info[cinfo->MCU_membership[i]];
      Block *block = &thin->blocks[i];

      block->dc = dc_codes (thin, cinfo, component->dc_tbl_no);
      block->ac = ac_runs (thin, cinfo, component->ac_tbl_no);
      block->mean = component->DCT_scaled_size == 1 && block->ac->end_of_block_bits > 0;
      any = any || block->mean;
    }
  return any;
}

static gboolean
is_worth_it (const struct jpeg_decompress_struct *cinfo, const ThJpegSource *source, guint64 worth)
{
  guint64 told = th_jpeg_source_tell (source), place = MIN (told, source->end);

  return cinfo->min_DCT_scaled_size == 1 && !cinfo->buffered_image && !cinfo->arith_code
         && !cinfo->progressive_mode && cinfo->data_precision == BITS_IN_JSAMPLE
         && source->end - place >= worth;
}

ThJpegThin *
th_jpeg_thin_start (struct jpeg_decompress_struct *cinfo, ThJpegSource *source, guint64 worth)
{
  ThJpegThin *thin = is_worth_it (cinfo, source, worth) ? g_try_new0 (ThJpegThin, 1) : NULL;

  if (thin == NULL)
    return NULL;
  if (!list_blocks (thin, cinfo))
    {
      g_free (thin);
      return NULL;
    }
  thin->left = (guint64) cinfo->MCUs_per_row * cinfo->MCU_rows_in_scan;
  thin->interval = cinfo->restart_interval;
  thin->until = thin->interval > 0 ? MIN (thin->interval, thin->left) : thin->left;
  thin->in = th_jpeg_bits_start (source->input, th_jpeg_source_tell (source), source->end);
  thin->out.bytes = thin->bytes;
  th_jpeg_source_filter (source, hand_out, thin);
  return thin;
}

void
th_jpeg_thin_free (ThJpegThin *thin)
{
  g_free (thin);
}

gsize
th_jpeg_thin_bytes (void)
{
  return sizeof (ThJpegThin);
}
