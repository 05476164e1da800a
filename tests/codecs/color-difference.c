/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "color-difference.h"

#include <lcms2.h>
#include <string.h>

#define EXACT (cmsFLAGS_NOOPTIMIZE | cmsFLAGS_NOCACHE)

struct _ColorReference
{
  cmsHTRANSFORM to_srgb; /* NULL where samples are that */
  cmsHTRANSFORM to_lab;
};

static cmsHTRANSFORM
profile_to_srgb (ThColorModel model, ThBytes icc, cmsHPROFILE srgb)
{
  static const cmsUInt32Number formats[] = {
    [TH_COLOR_GREY] = TYPE_GRAY_DBL,
    [TH_COLOR_RGB] = TYPE_RGB_DBL,
    [TH_COLOR_CMYK] = TYPE_CMYK_DBL,
  };
  cmsHPROFILE profile = cmsOpenProfileFromMem (icc.data, (cmsUInt32Number) icc.size);
  cmsHTRANSFORM transform =
      cmsCreateTransform (profile, formats[model], srgb, TYPE_RGB_DBL, INTENT_PERCEPTUAL,
                          EXACT | cmsFLAGS_BLACKPOINTCOMPENSATION);

  g_assert_nonnull (transform);
  cmsCloseProfile (profile);
  return transform;
}

ColorReference *
color_reference_new (ThColorModel model, ThBytes icc)
{
  ColorReference *reference = g_new0 (ColorReference, 1);
  cmsHPROFILE srgb = cmsCreate_sRGBProfile (), lab = cmsCreateLab4Profile (NULL);

  if (icc.data != NULL)
    reference->to_srgb = profile_to_srgb (model, icc, srgb);
  reference->to_lab = cmsCreateTransform (srgb, TYPE_RGB_DBL, lab, TYPE_Lab_DBL,
                                          INTENT_RELATIVE_COLORIMETRIC, EXACT);
  cmsCloseProfile (srgb);
  cmsCloseProfile (lab);
  return reference;
}

void
color_reference_free (ColorReference *reference)
{
  if (reference->to_srgb != NULL)
    cmsDeleteTransform (reference->to_srgb);
  cmsDeleteTransform (reference->to_lab);
  g_free (reference);
}

double
color_reference_difference (const ColorReference *reference, const double *in, const guint8 rgb[3])
{
  double ours[3], theirs[3];
  cmsCIELab a, b;

  if (reference->to_srgb != NULL)
    cmsDoTransform (reference->to_srgb, in, theirs, 1);
  else
    memcpy (theirs, in, sizeof theirs);
  for (guint c = 0; c < 3; c++)
    {
      ours[c] = rgb[c] / 255.0;
      theirs[c] = CLAMP (theirs[c], 0, 1);
    }
  cmsDoTransform (reference->to_lab, ours, &a, 1);
  cmsDoTransform (reference->to_lab, theirs, &b, 1);
  return cmsCIE2000DeltaE (&a, &b, 1, 1, 1);
}
