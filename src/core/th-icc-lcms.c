/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-icc.h"

#include <lcms2.h>
#include <lcms2_plugin.h>
#include <string.h>
#include <time.h>

/* Presses' profiles took up to 6 MiB while they were linked, cameras' and screens' far less. */
#define BYTES_MAX (12u * 1024u * 1024u)

/* Before each block that lcms has; keeps its alignment. */
typedef union
{
  gsize size; /* what was charged */
  max_align_t align;
} Head;

struct _ThIcc
{
  ThColorModel model;
  gsize bytes;
  gboolean lacked;
  cmsContext context;
  cmsHPROFILE profile;     /* NULL once it is linked */
  cmsHTRANSFORM transform; /* NULL until then */
};

static void *
lack (ThIcc *icc)
{
  if (icc != NULL)
    icc->lacked = TRUE;
  return NULL;
}

/* While the context itself is made nobody is charged. */
static void *
take (cmsContext context, cmsUInt32Number size)
{
  ThIcc *icc = cmsGetContextUserData (context);
  const gsize whole = (gsize) size + sizeof (Head);
  Head *head;

  if (icc != NULL && (whole > BYTES_MAX || icc->bytes > BYTES_MAX - whole))
    return NULL;
  head = g_try_malloc (whole);
  if (head == NULL)
    return lack (icc);
  head->size = icc != NULL ? whole : 0;
  if (icc != NULL)
    icc->bytes += whole;
  return head + 1;
}

static void
give_back (cmsContext context, void *block)
{
  ThIcc *icc = cmsGetContextUserData (context);
  Head *head;

  if (block == NULL)
    return;
  head = (Head *) block - 1;
  if (icc != NULL)
    icc->bytes -= head->size;
  g_free (head);
}

static void *
resize (cmsContext context, void *block, cmsUInt32Number size)
{
  ThIcc *icc = cmsGetContextUserData (context);
  const gsize whole = (gsize) size + sizeof (Head);
  Head *head;
  gsize charged;

  if (block == NULL)
    return take (context, size);
  head = (Head *) block - 1;
  charged = head->size;
  if (icc != NULL && (whole > BYTES_MAX || icc->bytes - charged > BYTES_MAX - whole))
    return NULL;
  head = g_try_realloc (head, whole);
  if (head == NULL)
    return lack (icc);
  head->size = icc != NULL ? whole : charged;
  if (icc != NULL)
    icc->bytes += whole - charged;
  return head + 1;
}

void
th_icc_warm_up (void)
{
  /* It asks for the date of each profile that it opens, for which the C library reads the time
   * zone's file once. */
  tzset ();
}

static cmsContext
make_context (ThIcc *icc)
{
  cmsPluginMemHandler memory = {
    .base = { cmsPluginMagicNumber, 2060, cmsPluginMemHandlerSig, NULL },
    .MallocPtr = take,
    .FreePtr = give_back,
    .ReallocPtr = resize,
  };

  return cmsCreateContext (&memory, icc);
}

ThIcc *
th_icc_new (ThBytes profile, ThColorModel model)
{
  g_autoptr (ThIcc) icc = g_new0 (ThIcc, 1);

  icc->model = model;
  icc->context = make_context (icc);
  if (icc->context == NULL)
    return NULL;
  icc->profile =
      cmsOpenProfileFromMemTHR (icc->context, profile.data, (cmsUInt32Number) profile.size);
  return g_steal_pointer (&icc);
}

gboolean
th_icc_is_open (const ThIcc *icc)
{
  return icc->profile != NULL;
}

gboolean
th_icc_lacked_memory (const ThIcc *icc)
{
  return icc->lacked;
}

void
th_icc_free (ThIcc *icc)
{
  if (icc->transform != NULL)
    cmsDeleteTransform (icc->transform);
  if (icc->profile != NULL)
    cmsCloseProfile (icc->profile);
  if (icc->context != NULL)
    cmsDeleteContext (icc->context);
  g_free (icc);
}

typedef struct
{
  const cmsToneCurve *curves[3];
} Curves;

static double
evaluate (guint channel, double code, gpointer data)
{
  const Curves *curves = data;

  return cmsEvalToneCurveFloat (curves->curves[channel], (float) code);
}

gboolean
th_icc_read_shaper (const ThIcc *icc, ThShaper *shaper)
{
  static const cmsTagSignature curve_tags[3] = { cmsSigRedTRCTag, cmsSigGreenTRCTag,
                                                 cmsSigBlueTRCTag };
  static const cmsTagSignature color_tags[3] = { cmsSigRedColorantTag, cmsSigGreenColorantTag,
                                                 cmsSigBlueColorantTag };
  ThMatrix to_xyz;
  Curves curves;

  if (icc->model != TH_COLOR_RGB || cmsIsTag (icc->profile, cmsSigAToB0Tag)
      || cmsGetPCS (icc->profile) != cmsSigXYZData)
    return FALSE;
  for (guint i = 0; i < 3; i++)
    {
      const cmsCIEXYZ *color = cmsReadTag (icc->profile, color_tags[i]);

      curves.curves[i] = cmsReadTag (icc->profile, curve_tags[i]);
      if (color == NULL || curves.curves[i] == NULL)
        return FALSE;
      to_xyz.m[i] = color->X;
      to_xyz.m[3 + i] = color->Y;
      to_xyz.m[6 + i] = color->Z;
    }
  th_shaper_fill (shaper, evaluate, &curves, &to_xyz);
  return TRUE;
}

static cmsUInt32Number
input_format (ThColorModel model, guint bits, gboolean has_alpha)
{
  static const cmsUInt32Number spaces[] = {
    [TH_COLOR_GREY] = PT_GRAY,
    [TH_COLOR_RGB] = PT_RGB,
    [TH_COLOR_CMYK] = PT_CMYK,
  };

  return COLORSPACE_SH (spaces[model]) | CHANNELS_SH ((cmsUInt32Number) model)
         | EXTRA_SH (has_alpha ? 1 : 0) | BYTES_SH (bits / 8);
}

gboolean
th_icc_link (ThIcc *icc, guint bits, gboolean has_alpha, gboolean many)
{
  /* Perceptual where there is a table for it; a matrix has only the colorimetric way. */
  const cmsUInt32Number intent =
      cmsIsTag (icc->profile, cmsSigAToB0Tag) ? INTENT_PERCEPTUAL : INTENT_RELATIVE_COLORIMETRIC;
  const cmsUInt32Number hurry = many ? 0 : cmsFLAGS_NOOPTIMIZE;
  cmsHPROFILE srgb = cmsCreate_sRGBProfileTHR (icc->context);

  if (srgb != NULL)
    {
      icc->transform = cmsCreateTransformTHR (
          icc->context, icc->profile, input_format (icc->model, bits, has_alpha), srgb,
          has_alpha ? TYPE_RGBA_8 : TYPE_RGB_8, intent,
          cmsFLAGS_BLACKPOINTCOMPENSATION | cmsFLAGS_COPY_ALPHA | hurry);
      cmsCloseProfile (srgb);
    }
  cmsCloseProfile (icc->profile);
  icc->profile = NULL;
  return icc->transform != NULL;
}

void
th_icc_row (const ThIcc *icc, const void *in, guint32 width, guint8 *out)
{
  cmsDoTransform (icc->transform, in, out, width);
}

gsize
th_icc_bytes (const ThIcc *icc)
{
  return sizeof *icc + icc->bytes;
}
