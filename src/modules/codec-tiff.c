/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TIFF: the first page, or a smaller copy of it that the file brings; other pages are not shown. */
#include "config.h"

#include <math.h>

#include "core/th-codec.h"
#include "core/th-rows.h"
#include "modules/tiff-expand.h"
#include "modules/tiff-page.h"
#include "modules/tiff-rows.h"

/* Directories that are looked at in search of smaller copies. */
#define DIRECTORIES_MAX 32u
#define SUBS_MAX        16u
#define COPIES_MAX      16u
/* Largest difference of the shapes of a page and its copy. */
#define SHAPE_TOLERANCE 0.01

typedef struct
{
  ThSession base;
  ThHeader header;
  guint64 max_bytes; /* of one allocation */
  ThTiffClient client;
  ThTiffPage page;
  ThTiffPage copies[COPIES_MAX]; /* smaller ones of the page */
  guint n_copies;
  const ThTiffPage *chosen; /* the page or one of the copies */
} TiffSession;

static const char *const mime_types[] = { "image/tiff", "image/x-tiff-multipage", NULL };

static const ThMagic magic[] = {
  { 0, 4, "II*\0", NULL },
  { 0, 4, "MM\0*", NULL },
  { 0, 8, "II+\0\10\0\0\0", NULL },
  { 0, 8, "MM\0+\0\10\0\0", NULL },
  { 0 },
};

/* The functions of libtiff that take no handler of ours print; and the C library's sorting, which
 * libtiff needs for every file, asks at its first use how much memory there is. */
static gboolean
tiff_prepare (GError **error)
{
  /* One directory with a width. */
  static const guint8 least[] = { 'I', 'I', '*', 0, 8, 0, 0, 0, 1, 0, 0, 1, 3,
                                  0,   1,   0,   0, 0, 1, 0, 0, 0, 0, 0, 0, 0 };
  g_autoptr (ThInput) input = th_input_new_bytes (least, sizeof least);
  ThTiffClient client;

  (void) TIFFSetErrorHandler (NULL);
  (void) TIFFSetWarningHandler (NULL);
  (void) th_tiff_client_open (&client, input, 0, G_MAXINT64);
  th_tiff_client_close (&client);
  return TRUE;
}

static void
tiff_close (ThSession *base)
{
  TiffSession *session = (TiffSession *) base;

  th_tiff_client_close (&session->client);
  g_free (session);
}

static gboolean
is_copy (const ThTiffPage *page, const ThTiffPage *of)
{
  const double across = (double) page->size.width * of->size.height;
  const double down = (double) page->size.height * of->size.width;

  return page->size.width < of->size.width && page->size.height < of->size.height
         && fabs (across - down) <= SHAPE_TOLERANCE * MAX (across, down) && page->color == of->color
         && page->alpha == of->alpha
         && (page->number == TH_TIFF_FLOAT) == (of->number == TH_TIFF_FLOAT)
         && (page->orientation == of->orientation || page->orientation == 1);
}

/* The directory behind it. */
static guint64
look_for_copy (TiffSession *session, guint64 directory, const ThLimits *limits, gboolean unsaid)
{
  ThTiffClient client;
  guint64 next = 0;
  ThTiffPage page;

  if (th_tiff_client_open (&client, session->base.input, directory, session->max_bytes)
      && th_tiff_page_read (&page, &client, limits, NULL) == TH_STATUS_OK
      && (page.reduced || unsaid) && is_copy (&page, &session->page)
      && session->n_copies < COPIES_MAX)
    session->copies[session->n_copies++] = page;
  next = client.overlay.next;
  th_tiff_client_close (&client);
  return next;
}

/* Copies below the page, and among the other ones. */
static void
look_for_copies (TiffSession *session, const ThLimits *limits)
{
  const guint64 *below = NULL;
  guint64 directory = 0;
  guint16 n = 0;

  TIFFGetField (session->client.tiff, TIFFTAG_SUBIFD, &n, &below);
  for (guint i = 0; i < MIN (n, SUBS_MAX); i++)
    look_for_copy (session, below[i], limits, TRUE);
  for (guint i = 0; i < DIRECTORIES_MAX && (i == 0 || directory != 0); i++)
    directory = look_for_copy (session, directory, limits, FALSE);
}

static gboolean
is_reduced (const ThTiffClient *client)
{
  guint32 kind = 0;

  return TIFFGetField (client->tiff, TIFFTAG_SUBFILETYPE, &kind) != 0
         && (kind & FILETYPE_REDUCEDIMAGE) != 0;
}

/* Opens the page that is shown: the first that is no smaller copy of another, else the first. */
static gboolean
open_page (TiffSession *session)
{
  ThTiffClient *client = &session->client;
  ThInput *input = session->base.input;
  guint64 next;

  if (!th_tiff_client_open (client, input, 0, session->max_bytes))
    return FALSE;
  for (guint i = 1; i < DIRECTORIES_MAX && is_reduced (client) && client->overlay.next != 0; i++)
    {
      next = client->overlay.next;
      th_tiff_client_close (client);
      if (!th_tiff_client_open (client, input, next, session->max_bytes))
        break;
    }
  if (client->tiff != NULL && !is_reduced (client))
    return TRUE;
  th_tiff_client_close (client);
  return th_tiff_client_open (client, input, 0, session->max_bytes);
}

static ThStatus
read_pages (TiffSession *session, const ThLimits *limits, GError **error)
{
  ThStatus status;

  if (!open_page (session))
    return th_tiff_client_failure (&session->client, error);
  status = th_tiff_page_read (&session->page, &session->client, limits, error);
  if (status == TH_STATUS_OK && limits->embedded_previews)
    look_for_copies (session, limits);
  return status;
}

static void
describe (TiffSession *session)
{
  ThHeader *header = &session->header;
  guint32 size = 0;
  void *icc = NULL;

  *header = (ThHeader){
    .size = session->page.size,
    .orientation = session->page.orientation,
    .has_alpha = session->page.alpha != TH_ALPHA_NONE,
    .pages = 1,
    .frames = 1,
    .mime_type = mime_types[0],
  };
  if (session->page.way != TH_TIFF_RGBA
      && TIFFGetField (session->client.tiff, TIFFTAG_ICCPROFILE, &size, &icc) && size > 0)
    {
      header->icc = icc;
      header->icc_size = size;
    }
}

static ThStatus
tiff_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  TiffSession *session = g_new0 (TiffSession, 1);
  ThStatus status;

  session->base.input = input;
  session->max_bytes = limits->max_plan_bytes;
  status = read_pages (session, limits, error);
  if (status != TH_STATUS_OK)
    {
      tiff_close (&session->base);
      return status;
    }
  describe (session);
  *out = &session->base;
  return TH_STATUS_OK;
}

static const ThHeader *
tiff_header (const ThSession *base)
{
  return &((const TiffSession *) base)->header;
}

/* The smallest of those that are large enough. */
static const ThTiffPage *
choose (const TiffSession *session, ThSize target)
{
  const ThTiffPage *best = &session->page;

  for (guint i = 0; i < session->n_copies; i++)
    {
      const ThTiffPage *copy = &session->copies[i];

      if (copy->size.width >= target.width && copy->size.height >= target.height
          && copy->size.width < best->size.width)
        best = copy;
    }
  return best;
}

static gboolean
tiff_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  TiffSession *session = (TiffSession *) base;
  const ThTiffPage *page = choose (session, targets[0]);

  session->chosen = page;
  *plan = (ThPlan){
    .from_preview = page != &session->page,
    .raster = {
      .width = page->size.width,
      .height = page->size.height,
      .exact_width = page->size.width,
      .exact_height = page->size.height,
      .color = page->color,
      .alpha = page->alpha,
      .bits = (guint8) page->out_bits,
    },
    /* The page's own directory stays open for the profile that lies in it. */
    .peak_bytes = sizeof *session + 2 * (guint64) session->header.icc_size
                  + th_tiff_page_directory_bytes (&session->page) + th_tiff_page_bytes (page)
                  + th_tiff_expand_bytes (page),
  };
  return TRUE;
}

/* Rows that are missing before one that came are pushed as it comes: up to the end the caller makes
 * them up. */
static ThStatus
push_rows (ThTiffRows *rows, ThTiffExpand *expand, const ThPlan *plan, ThSink *sink,
           const guint8 *missing)
{
  const gsize stride = th_raster_row_bytes (&plan->raster);
  guint32 owed = 0;

  for (guint32 y = 0; y < plan->raster.height; y++)
    {
      const guint8 *planes[TH_TIFF_SAMPLES_MAX];

      if (!th_tiff_rows_next (rows, planes))
        {
          owed++;
          continue;
        }
      for (; owed > 0; owed--)
        if (!sink->rows (sink, missing, 0, 1))
          return TH_STATUS_STOPPED;
      if (!sink->rows (sink, th_tiff_expand_row (expand, planes), stride, 1))
        return TH_STATUS_STOPPED;
    }
  if (owed == plan->raster.height)
    return TH_STATUS_CORRUPT;
  return th_tiff_rows_dirty (rows) ? TH_STATUS_PARTIAL : TH_STATUS_OK;
}

static ThStatus
no_memory (GError **error)
{
  g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "TIFF: %s",
               th_status_describe (TH_STATUS_NO_MEMORY));
  return TH_STATUS_NO_MEMORY;
}

static ThStatus
tiff_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  TiffSession *session = (TiffSession *) base;
  ThStatus status = TH_STATUS_OK;
  g_autoptr (ThTiffRows) rows =
      th_tiff_rows_new (base->input, session->chosen, session->max_bytes, &status, error);
  g_autoptr (ThTiffExpand) expand = NULL;
  g_autofree guint8 *missing = NULL;

  if (rows == NULL)
    return status;
  expand =
      th_tiff_expand_new (session->chosen, th_tiff_rows_tiff (rows), session->header.icc != NULL);
  missing = g_try_malloc (th_raster_row_bytes (&plan->raster));
  if (expand == NULL || missing == NULL)
    return no_memory (error);
  th_rows_missing (&plan->raster, missing);
  status = push_rows (rows, expand, plan, sink, missing);
  return status == TH_STATUS_CORRUPT ? th_tiff_rows_failure (rows, error) : status;
}

const ThCodec th_codec_tiff = {
  .abi = TH_CODEC_ABI,
  .name = "tiff",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_NOTHING,
  .prepare = tiff_prepare,
  .open = tiff_open,
  .header = tiff_header,
  .plan = tiff_plan,
  .decode = tiff_decode,
  .close = tiff_close,
};
