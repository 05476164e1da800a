/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Profiles, written by lcms, for what reads them. */
#pragma once

#include <lcms2.h>

#include "core/th-color.h"

typedef struct
{
  const char *name;
  cmsCIExyY white;
  cmsCIExyYTRIPLE primaries;
  double gamma;
} ProfileSpace;

#define N_PROFILE_SPACES 4
extern const ProfileSpace profile_spaces[N_PROFILE_SPACES];

/* Closes the profile. */
GByteArray *profile_save (cmsHPROFILE profile);
GByteArray *profile_rgb (const ProfileSpace *space);
GByteArray *profile_grey (double gamma);
/* One that is a table, sampled, of Lab. */
cmsHPROFILE profile_table (cmsColorSpaceSignature space, cmsUInt32Number channels,
                           cmsSAMPLER16 sampler, void *cargo);
/* The same with steps along each side. */
cmsHPROFILE profile_table_of (cmsColorSpaceSignature space, cmsUInt32Number channels,
                              cmsUInt32Number steps, cmsSAMPLER16 sampler, void *cargo);
/* L* falls with black, whatever the coloured inks: not a press, but a known table. */
cmsInt32Number profile_ink_to_lab (const cmsUInt16Number in[], cmsUInt16Number out[], void *cargo);

gboolean profile_is_ignored (ThColorModel model, const guint8 *data, gsize size);
