/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The words for reasons that scripts may rely on. */
#include "config.h"

#include "engine/th-check.h"

static const char *const reason_names[TH_N_REASONS] = {
  [TH_REASON_NOT_LOCAL] = "not-local",
  [TH_REASON_SILENT] = "silent",
  [TH_REASON_MISSING] = "missing",
  [TH_REASON_NOT_REGULAR] = "not-regular",
  [TH_REASON_IS_THUMBNAIL] = "is-thumbnail",
  [TH_REASON_EXCLUDED] = "excluded",
  [TH_REASON_UNREADABLE] = "unreadable",
  [TH_REASON_VALID] = "valid",
  [TH_REASON_PARTIAL] = "partial-name",
  [TH_REASON_NO_TYPE] = "no-handler",
  [TH_REASON_RULE] = "rule",
  [TH_REASON_CLOUD] = "cloud",
  [TH_REASON_REMEMBERED] = "remembered",
  [TH_REASON_UNWRITABLE] = "unwritable",
  [TH_REASON_MAKE] = "make",
  [TH_REASON_APART] = "apart",
  [TH_REASON_SECRET] = "encrypted",
};

const char *
th_reason_name (ThReason reason)
{
  return reason_names[reason];
}
