/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PBM, PGM, PPM and PAM, as text and packed, row by row: the library there is wants the whole file
 * at once, drops all beyond 8 bits and knows no PAM. */
#include "config.h"

#include <string.h>

#include "core/codecs/pnm-head.h"
#include "core/th-codec.h"

#define BATCH_BYTES (64u * 1024u) /* of rows that are read together */
#define SMALL_BYTES 4096u         /* an error, and what the heap rounds up */

typedef struct _PnmSession
{
  ThSession base;
  ThHeader header;
  ThPnmHead head;
  guint64 row_bytes;  /* as stored, where they are packed */
  guint32 batch;      /* rows that are read together */
  guint8 scaled[256]; /* samples of 8 bits, for values of up to the largest */
} PnmSession;

typedef struct
{
  const PnmSession *session;
  ThText text;    /* of samples that are written in figures */
  guint64 offset; /* of the rows that are read next */
  guint8 *stored; /* rows */
  gsize filled;   /* bytes of them */
  guint8 *out;    /* one row of the raster */
} Decode;

static const char *const mime_types[] = {
  "image/x-portable-anymap", "image/x-portable-bitmap",       "image/x-portable-graymap",
  "image/x-portable-pixmap", "image/x-portable-arbitrarymap", NULL
};

/* By the figure behind the P. */
static const guint8 type_of_kind[] = { 0, 1, 2, 3, 1, 2, 3, 4 };

static const ThMagic magic[] = {
  { 0, 2, "P1", NULL }, { 0, 2, "P2", NULL }, { 0, 2, "P3", NULL }, { 0, 2, "P4", NULL },
  { 0, 2, "P5", NULL }, { 0, 2, "P6", NULL }, { 0, 2, "P7", NULL }, { 0 },
};

static ThStatus
fail (ThInput *input, ThStatus status, GError **error, const char *what)
{
  if (th_input_failed (input))
    status = TH_STATUS_IO;
  g_set_error (error, TH_ERROR, th_status_to_error (status), "PNM: %s",
               what != NULL && status != TH_STATUS_IO ? what : th_status_describe (status));
  return status;
}

static void
prepare_rows (PnmSession *session)
{
  const ThPnmHead *head = &session->head;
  const guint64 samples = (guint64) head->size.width * (head->color + head->has_alpha);
  const guint most = head->most;

  session->row_bytes = head->bitmap ? (samples + 7) / 8 : most > 255 ? samples * 2 : samples;
  session->batch = (guint32) CLAMP (BATCH_BYTES / session->row_bytes, 1, head->size.height);
  for (guint i = 0; i < 256 && most <= 255; i++)
    session->scaled[i] = (guint8) ((MIN (i, most) * 255 + most / 2) / most);
}

static void
pnm_close (ThSession *base)
{
  g_free (base);
}

static ThStatus
pnm_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  PnmSession *session = g_new0 (PnmSession, 1);
  ThPnmHead *head = &session->head;
  const char *trouble = NULL;
  ThStatus status = th_pnm_head_read (head, input, &trouble);

  session->base.input = input;
  if (status != TH_STATUS_OK)
    fail (input, status, error, trouble);
  else
    status = th_limits_check_size (limits, head->size.width, head->size.height, error);
  if (status != TH_STATUS_OK)
    {
      pnm_close (&session->base);
      return th_input_failed (input) ? TH_STATUS_IO : status;
    }
  session->header = (ThHeader){
    .size = head->size,
    .orientation = 1,
    .has_alpha = head->has_alpha,
    .pages = 1,
    .frames = 1,
    .mime_type = mime_types[type_of_kind[head->kind]],
  };
  prepare_rows (session);
  *out = &session->base;
  return TH_STATUS_OK;
}

static const ThHeader *
pnm_header (const ThSession *base)
{
  return &((const PnmSession *) base)->header;
}

static gboolean
pnm_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  const PnmSession *session = (const PnmSession *) base;
  const ThPnmHead *head = &session->head;
  const ThSize size = head->size;

  *plan = (ThPlan){
    .raster = { size.width, size.height, size.width, size.height, head->color,
                head->has_alpha ? TH_ALPHA_STRAIGHT : TH_ALPHA_NONE, head->most > 255 ? 16 : 8 },
  };
  plan->peak_bytes = sizeof *session + SMALL_BYTES + th_raster_row_bytes (&plan->raster)
                     + (head->figures ? 0 : session->row_bytes * session->batch);
  return TRUE;
}

static void
put_deep (const ThPnmHead *head, guint value, guint8 *out, gsize i)
{
  const guint32 most = head->most;
  const guint16 sample = (guint16) ((MIN (value, most) * 65535u + most / 2) / most);

  memcpy (out + i * 2, &sample, sizeof sample);
}

static void
put_sample (const PnmSession *session, guint value, guint8 *out, gsize i)
{
  if (session->head.most > 255)
    put_deep (&session->head, value, out, i);
  else
    out[i] = session->scaled[MIN (value, 255)];
}

static void
convert (const PnmSession *session, const guint8 *stored, gsize samples, guint8 *out)
{
  const ThPnmHead *head = &session->head;

  if (head->bitmap)
    for (gsize i = 0; i < samples; i++)
      out[i] = (stored[i / 8] >> (7 - i % 8) & 1) != 0 ? 0 : 255;
  else if (head->most > 255)
    for (gsize i = 0; i < samples; i++)
      put_deep (head, (guint) stored[2 * i] << 8 | stored[2 * i + 1], out, i);
  else
    for (gsize i = 0; i < samples; i++)
      out[i] = session->scaled[stored[i]];
}

/* FALSE where the row is not whole. */
static gboolean
packed_row (Decode *decode, guint32 y, gsize samples)
{
  const PnmSession *session = decode->session;
  const gsize at = (gsize) (session->row_bytes * (y % session->batch));

  if (y % session->batch == 0)
    {
      const guint32 n = MIN (session->batch, session->head.size.height - y);
      const gssize got = th_input_read (session->base.input, decode->offset, decode->stored,
                                        (gsize) (session->row_bytes * n));

      decode->filled = (gsize) MAX (got, 0);
      decode->offset += decode->filled;
    }
  if (decode->filled < at + session->row_bytes)
    return FALSE;
  convert (session, decode->stored + at, samples, decode->out);
  return TRUE;
}

static gboolean
text_row (Decode *decode, gsize samples)
{
  const PnmSession *session = decode->session;
  guint32 value;

  for (gsize i = 0; i < samples; i++)
    {
      if (!(session->head.bitmap ? th_pnm_text_bit (&decode->text, &value)
                                 : th_pnm_text_number (&decode->text, &value)))
        return FALSE;
      if (session->head.bitmap)
        decode->out[i] = value != 0 ? 0 : 255;
      else
        put_sample (session, value, decode->out, i);
    }
  return TRUE;
}

static ThStatus
run (Decode *decode, const ThPlan *plan, ThSink *sink, GError **error)
{
  const PnmSession *session = decode->session;
  const gsize stride = th_raster_row_bytes (&plan->raster);
  const gsize samples = (gsize) plan->raster.width * th_raster_channels (&plan->raster);
  guint32 y = 0;

  for (; y < plan->raster.height; y++)
    {
      if (!(session->head.figures ? text_row (decode, samples) : packed_row (decode, y, samples)))
        break;
      if (!sink->rows (sink, decode->out, stride, 1))
        return TH_STATUS_STOPPED;
    }
  if (y > 0 && (y == plan->raster.height || !th_input_failed (session->base.input)))
    return y == plan->raster.height ? TH_STATUS_OK : TH_STATUS_PARTIAL;
  return fail (session->base.input, TH_STATUS_CORRUPT, error, "there is not one whole row");
}

static ThStatus
pnm_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  const PnmSession *session = (const PnmSession *) base;
  const ThPnmHead *head = &session->head;
  const gsize batch_bytes = head->figures ? 1 : (gsize) session->row_bytes * session->batch;
  g_autofree guint8 *stored = g_try_malloc (batch_bytes);
  g_autofree guint8 *out = g_try_malloc (th_raster_row_bytes (&plan->raster));
  Decode decode = {
    .session = session,
    .text = { .input = base->input, .end = G_MAXUINT64, .offset = head->pixels },
    .offset = head->pixels,
    .stored = stored,
    .out = out,
  };

  if (stored == NULL || out == NULL)
    return fail (base->input, TH_STATUS_NO_MEMORY, error, NULL);
  return run (&decode, plan, sink, error);
}

const ThCodec th_codec_pnm = {
  .abi = TH_CODEC_ABI,
  .name = "pnm",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_NOTHING,
  .open = pnm_open,
  .header = pnm_header,
  .plan = pnm_plan,
  .decode = pnm_decode,
  .close = pnm_close,
};
