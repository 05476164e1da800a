/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-part.h"

static ThStatus
fail (ThStatus status, GError **error)
{
  g_set_error_literal (error, TH_ERROR, th_status_to_error (status), th_status_describe (status));
  return status;
}

static ThStatus
open_input (ThPart *part, const ThCodec *outer, const ThLimits *limits, GError **error)
{
  part->codec = th_codec_sniff (part->input);
  if (th_input_failed (part->input))
    return fail (TH_STATUS_IO, error);
  if (part->codec == NULL || part->codec == outer)
    return fail (TH_STATUS_NOT_MINE, error);
  return part->codec->open (part->input, limits, &part->session, error);
}

ThStatus
th_part_open (ThPart *part, ThInput *input, const ThCodec *outer, const ThLimits *limits,
              GError **error)
{
  ThStatus status;

  *part = (ThPart){ .input = input };
  if (input == NULL)
    return fail (TH_STATUS_NO_MEMORY, error);
  status = open_input (part, outer, limits, error);
  if (status != TH_STATUS_OK)
    th_part_clear (part);
  return status;
}

void
th_part_clear (ThPart *part)
{
  if (part->session != NULL)
    part->codec->close (part->session);
  g_clear_pointer (&part->input, th_input_free);
  *part = (ThPart){ 0 };
}

ThHeader
th_part_header (const ThPart *part)
{
  return *part->codec->header (part->session);
}

gboolean
th_part_plan (const ThPart *part, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  if (!part->codec->plan (part->session, targets, n_targets, plan))
    return FALSE;
  return g_uint64_checked_add (&plan->peak_bytes, plan->peak_bytes, th_input_bytes ());
}

ThStatus
th_part_decode (const ThPart *part, const ThPlan *plan, ThSink *sink, GError **error)
{
  return part->codec->decode (part->session, plan, sink, error);
}
