/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "profile-maker.h"

const ProfileSpace profile_spaces[N_PROFILE_SPACES] = {
  { "adobe-rgb",
    { 0.3127, 0.3290, 1 },
    { { 0.64, 0.33, 1 }, { 0.21, 0.71, 1 }, { 0.15, 0.06, 1 } },
    563.0 / 256 },
  { "p3",
    { 0.3127, 0.3290, 1 },
    { { 0.68, 0.32, 1 }, { 0.265, 0.69, 1 }, { 0.15, 0.06, 1 } },
    2.2 },
  { "prophoto",
    { 0.3457, 0.3585, 1 },
    { { 0.7347, 0.2653, 1 }, { 0.1596, 0.8404, 1 }, { 0.0366, 0.0001, 1 } },
    1.8 },
  { "linear",
    { 0.3127, 0.3290, 1 },
    { { 0.64, 0.33, 1 }, { 0.30, 0.60, 1 }, { 0.15, 0.06, 1 } },
    1 },
};

GByteArray *
profile_save (cmsHPROFILE profile)
{
  GByteArray *bytes = g_byte_array_new ();
  cmsUInt32Number size = 0;

  g_assert_nonnull (profile);
  g_assert_true (cmsSaveProfileToMem (profile, NULL, &size));
  g_byte_array_set_size (bytes, size);
  g_assert_true (cmsSaveProfileToMem (profile, bytes->data, &size));
  cmsCloseProfile (profile);
  return bytes;
}

GByteArray *
profile_rgb (const ProfileSpace *space)
{
  cmsToneCurve *curve = cmsBuildGamma (NULL, space->gamma);
  cmsToneCurve *curves[3] = { curve, curve, curve };
  GByteArray *bytes = profile_save (cmsCreateRGBProfile (&space->white, &space->primaries, curves));

  cmsFreeToneCurve (curve);
  return bytes;
}

GByteArray *
profile_grey (double gamma)
{
  cmsToneCurve *curve = cmsBuildGamma (NULL, gamma);
  GByteArray *bytes = profile_save (cmsCreateGrayProfile (cmsD50_xyY (), curve));

  cmsFreeToneCurve (curve);
  return bytes;
}

cmsInt32Number
profile_ink_to_lab (const cmsUInt16Number in[], cmsUInt16Number out[], void *cargo)
{
  cmsCIELab lab = { 100.0 * (1 - in[3] / 65535.0), 0, 0 };

  cmsFloat2LabEncodedV2 (out, &lab);
  return TRUE;
}

cmsHPROFILE
profile_table (cmsColorSpaceSignature space, cmsUInt32Number channels, cmsSAMPLER16 sampler,
               void *cargo)
{
  return profile_table_of (space, channels, channels == 4 ? 9 : 33, sampler, cargo);
}

cmsHPROFILE
profile_table_of (cmsColorSpaceSignature space, cmsUInt32Number channels, cmsUInt32Number steps,
                  cmsSAMPLER16 sampler, void *cargo)
{
  cmsHPROFILE profile = cmsCreateProfilePlaceholder (NULL);
  cmsPipeline *pipeline = cmsPipelineAlloc (NULL, channels, 3);
  cmsStage *table = cmsStageAllocCLut16bit (NULL, steps, channels, 3, NULL);

  cmsSetProfileVersion (profile, 2.1);
  cmsSetDeviceClass (profile, channels == 4 ? cmsSigOutputClass : cmsSigInputClass);
  cmsSetColorSpace (profile, space);
  cmsSetPCS (profile, cmsSigLabData);
  g_assert_true (cmsStageSampleCLut16bit (table, sampler, cargo, 0));
  cmsPipelineInsertStage (pipeline, cmsAT_BEGIN, table);
  g_assert_true (cmsWriteTag (profile, cmsSigAToB0Tag, pipeline));
  g_assert_true (cmsWriteTag (profile, cmsSigMediaWhitePointTag, cmsD50_XYZ ()));
  cmsPipelineFree (pipeline);
  return profile;
}

gboolean
profile_is_ignored (ThColorModel model, const guint8 *data, gsize size)
{
  const ThColorSource source = { .model = model, .icc = { data, size } };
  g_autoptr (ThColor) color = th_color_new (&source, NULL);

  return th_color_is_plain (color);
}
