/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-transfer.h"

#include <math.h>

/* cd/m² */
#define PQ_TOP     10000.0
#define BRIGHTEST  1000.0
#define PLAIN      203.0
#define HLG_SYSTEM 1.2 /* exponent of the display of 1000 cd/m² */

/* ST 2084. */
#define PQ_M1 (2610.0 / 16384)
#define PQ_M2 (2523.0 / 4096 * 128)
#define PQ_C1 (3424.0 / 4096)
#define PQ_C2 (2413.0 / 4096 * 32)
#define PQ_C3 (2392.0 / 4096 * 32)

static double
srgb_to_linear (double code)
{
  return code <= 0.04045 ? code / 12.92 : pow ((code + 0.055) / 1.055, 2.4);
}

double
th_transfer_srgb_code (double linear)
{
  return linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow (linear, 1 / 2.4) - 0.055;
}

static double
pq_to_nits (double code)
{
  const double p = pow (code, 1 / PQ_M2);

  return PQ_TOP * pow (MAX (p - PQ_C1, 0) / (PQ_C2 - PQ_C3 * p), 1 / PQ_M1);
}

static double
pq_code (double nits)
{
  const double y = pow (nits / PQ_TOP, PQ_M1);

  return pow ((PQ_C1 + PQ_C2 * y) / (1 + PQ_C3 * y), PQ_M2);
}

/* Scene light, 0 to 1 (BT.2100, table 5). */
static double
hlg_to_scene (double code)
{
  const double a = 0.17883277, b = 1 - 4 * a, c = 0.5 - a * log (4 * a);

  return code <= 0.5 ? code * code / 3 : (exp ((code - c) / a) + b) / 12;
}

/* BT.2390, 5.4.1, with both blacks 0. */
static double
tone_map (double code)
{
  const double top = pq_code (BRIGHTEST), limit = pq_code (PLAIN) / top;
  const double knee = 1.5 * limit - 0.5;
  const double e = MIN (code / top, 1);
  const double t = (e - knee) / (1 - knee);

  if (e < knee)
    return e * top;
  return top
         * ((2 * t * t * t - 3 * t * t + 1) * knee + (t * t * t - 2 * t * t + t) * (1 - knee)
            + (3 * t * t - 2 * t * t * t) * limit);
}

double
th_transfer_to_linear (ThTransfer transfer, double gamma, double code)
{
  switch (transfer)
    {
    case TH_TRANSFER_GAMMA:
      return pow (code, gamma);
    case TH_TRANSFER_PQ:
      return pq_to_nits (tone_map (code)) / PLAIN;
    case TH_TRANSFER_HLG:
      code = pq_code (BRIGHTEST * pow (hlg_to_scene (code), HLG_SYSTEM));
      return pq_to_nits (tone_map (code)) / PLAIN;
    case TH_TRANSFER_SRGB:
    default:
      return srgb_to_linear (code);
    }
}
