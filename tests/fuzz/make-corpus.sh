#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Writes the seeds corpus/NAME: small pictures that reach most of a decoder, all drawn here.
# Needs imagemagick, libavif-bin, libheif-examples, libjxl-tools, libjpeg-turbo-progs, webp, libimage-exiftool-perl.
set -eu
cd "$(dirname -- "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p corpus/avif corpus/bmp corpus/heif corpus/icns corpus/ico corpus/jxl corpus/ora corpus/pnm corpus/psd corpus/qoi corpus/qtif corpus/tga corpus/xbm corpus/xpm corpus/tiff corpus/jpeg corpus/png corpus/gif corpus/webp corpus/exif corpus/png-text corpus/wire
base=$work/base.png
convert -size 37x27 gradient:red-blue -fill lime -draw 'rectangle 5,5 20,14' -strip "$base"
convert "$base" "$work/base.ppm"
convert "$base" -colorspace Gray -depth 8 "$work/grey.pgm"

cjpeg -quality 60 -outfile corpus/jpeg/420.jpg "$work/base.ppm"
cjpeg -quality 60 -sample 2x1 -restart 1 -outfile corpus/jpeg/422-restart.jpg "$work/base.ppm"
cjpeg -quality 60 -sample 1x1 -rgb -outfile corpus/jpeg/rgb.jpg "$work/base.ppm"
cjpeg -quality 60 -sample 1x2 -progressive -outfile corpus/jpeg/progressive.jpg "$work/base.ppm"
cjpeg -quality 60 -arithmetic -outfile corpus/jpeg/arithmetic.jpg "$work/base.ppm"
cjpeg -quality 60 -arithmetic -progressive -outfile corpus/jpeg/arithmetic-progressive.jpg "$work/base.ppm"
cjpeg -quality 60 -outfile corpus/jpeg/grey.jpg "$work/grey.pgm"
printf '0;\n1;\n2;\n' >"$work/scans"
cjpeg -quality 60 -scans "$work/scans" -outfile corpus/jpeg/separate-scans.jpg "$work/base.ppm"
convert "$base" -colorspace CMYK -strip -quality 60 corpus/jpeg/cmyk.jpg
cp corpus/jpeg/420.jpg corpus/jpeg/exif.jpg
exiftool -q -overwrite_original -n -Orientation=6 corpus/jpeg/exif.jpg
for jpeg in corpus/jpeg/*.jpg; do
  exiftool -q -overwrite_original -comment= "$jpeg" || :
done

# A camera's file: a preview in EXIF, and one behind the picture. The target makes small thumbnails of files of odd size.
convert -size 120x90 gradient: -function sinusoid 4,-90 \( -size 90x120 gradient: -rotate 90 -function sinusoid 3,0 \) \
  \( -size 120x90 gradient:white-gray \) -combine "$work/camera.png"
convert "$work/camera.png" -quality 90 -strip "$work/camera.jpg"
convert "$work/camera.png" -quality 95 -strip -resize 60x45 "$work/preview.jpg"
cp "$work/camera.jpg" corpus/jpeg/preview.jpg
exiftool -q -overwrite_original -JFIF:all= "-ThumbnailImage<=$work/preview.jpg" corpus/jpeg/preview.jpg
python3 - "$work" corpus/jpeg <<'END'
import struct
import sys

def segment(marker, content):
    return b'\xff' + bytes([marker]) + struct.pack('>H', len(content) + 2) + content

def directory(*entries):
    return struct.pack('<H', len(entries)) + b''.join(struct.pack('<HHII', *entry) for entry in entries) + bytes(4)

work, corpus = sys.argv[1:]
picture, preview = (open(f'{work}/{name}.jpg', 'rb').read() for name in ('camera', 'preview'))
picture = picture[20:]  # behind SOI and JFIF
exif = segment(0xe1, b'Exif\0\0II*\0\x08\0\0\0' + directory((0x112, 3, 1, 1)))
size = 2 + len(exif) + 78 + len(picture)
index = b'II*\0\x08\0\0\0' + directory((0xb001, 4, 1, 2), (0xb002, 7, 32, 38))
index += struct.pack('<3I4x', 0x030000, size, 0)
index += struct.pack('<3I4x', 0x010001, len(preview), size - 2 - len(exif) - 8)
data = b'\xff\xd8' + exif + segment(0xe2, b'MPF\0' + index) + picture + preview
open(f'{corpus}/multi-picture.jpg', 'wb').write(data + bytes((len(data) + 1) % 2))
data = open(f'{corpus}/preview.jpg', 'rb').read()
open(f'{corpus}/preview.jpg', 'wb').write(data + bytes((len(data) + 1) % 2))
END

convert "$base" -define png:color-type=2 -define png:bit-depth=8 -strip corpus/png/rgb.png
convert "$base" -define png:color-type=2 -define png:bit-depth=16 -strip corpus/png/rgb16.png
convert "$base" -alpha set -channel A -evaluate set 40% -define png:color-type=6 -strip corpus/png/rgba.png
convert "$base" -colorspace Gray -alpha set -channel A -evaluate set 40% -define png:color-type=4 \
  -strip corpus/png/grey-alpha.png
convert "$base" -colorspace Gray -define png:color-type=0 -define png:bit-depth=1 -strip corpus/png/grey1.png
convert "$base" -colors 4 -define png:color-type=3 -define png:bit-depth=2 -strip corpus/png/palette2.png
convert "$base" -colors 7 -transparent red -define png:color-type=3 -strip corpus/png/palette-trns.png
convert "$base" -interlace PNG -strip corpus/png/interlaced.png
cp corpus/png/palette2.png corpus/png/exif.png
exiftool -q -overwrite_original -n -Orientation=6 corpus/png/exif.png

convert "$base" -colors 8 -strip corpus/gif/still.gif
convert "$base" -colors 8 -interlace GIF -strip corpus/gif/interlaced.gif
convert -size 21x13 xc:black \( -size 9x5 xc:red -repage 21x13+4+3 \) -delay 20 -strip corpus/gif/animated.gif
convert -size 21x13 xc:red -transparent red -strip corpus/gif/transparent.gif

cwebp -quiet -q 50 "$base" -o corpus/webp/lossy.webp
cwebp -quiet -lossless "$base" -o corpus/webp/lossless.webp
cwebp -quiet -q 50 corpus/png/rgba.png -o corpus/webp/lossy-alpha.webp
gif2webp -quiet corpus/gif/animated.gif -o corpus/webp/animated.webp
convert -delay 10 -dispose background -size 24x18 xc:black corpus/png/rgb.png -resize '24x18!' "$work/black-first.gif"
gif2webp -quiet -lossy -mixed "$work/black-first.gif" -o corpus/webp/black-first.webp
cp corpus/webp/lossy.webp corpus/webp/exif.webp
exiftool -q -overwrite_original -n -Orientation=6 corpus/webp/exif.webp

avif () { # NAME PICTURE OPTION...
  name=$1 picture=$2
  shift 2
  avifenc -j 1 -s 10 --min 30 --max 50 "$@" "$picture" "corpus/avif/$name.avif" >"$work/log"
}
avif 420 "$base" -y 420
avif 444-narrow "$base" -y 444 -r limited
avif 422-10 "$base" -y 422 -d 10
avif grey-12 "$base" -y 400 -d 12
avif alpha corpus/png/rgba.png -y 444
avif premultiplied corpus/png/rgba.png -y 420 --premultiply
avif turned "$base" -y 420 --irot 1 --imir 0
avif cropped "$base" -y 444 --clap 17,1,13,1,0,1,0,1
avif colors "$base" -y 444 --cicp 9/16/9
convert "$base" -resize 128x128! -strip "$work/cells.png"
avif grid "$work/cells.png" -y 420 --grid 2x2
avifenc -j 1 -s 10 --min 30 --max 50 -y 420 --fps 5 "$base" "$base" corpus/avif/sequence.avif >"$work/log"

convert "$base" -resize 148x108! -strip "$work/heif.png"
convert "$work/heif.png" -alpha set -channel A -evaluate set 40% -strip "$work/heif-alpha.png"
convert "$work/heif.png" -depth 16 -define png:bit-depth=16 -strip "$work/rgb16.png"
heif-enc -q 30 -o corpus/heif/420.heic "$work/heif.png" >"$work/log"
heif-enc -q 30 -p chroma=444 -o corpus/heif/444.heic "$work/heif.png" >"$work/log"
heif-enc -q 30 -b 10 -o corpus/heif/10-bit.heic "$work/rgb16.png" >"$work/log"
heif-enc -q 30 -o corpus/heif/alpha.heic "$work/heif-alpha.png" >"$work/log"
heif-enc -q 30 -t 64 -o corpus/heif/thumbnail.heic "$work/heif.png" >"$work/log"

jxl () { # NAME PICTURE OPTION...
  name=$1 picture=$2
  shift 2
  cjxl "$picture" "corpus/jxl/$name.jxl" --num_threads=0 "$@" 2>"$work/log"
}
jxl lossy "$base" -d 3
jxl noise-alpha corpus/png/rgba.png -d 3 --photon_noise=ISO3200
jxl progressive "$base" -d 3 --progressive_dc=1
jxl quarter-size "$base" -d 3 --resampling=4
jxl exact "$base" -d 0 -e 3
jxl exact-alpha corpus/png/rgba.png -d 0 -e 7
jxl exact-16 corpus/png/rgb16.png -d 0 -g 0
jxl responsive "$base" -d 0 -R 1
jxl modular corpus/png/grey-alpha.png -d 1 -m 1
jxl container "$base" -d 3 --container=1
jxl jpeg corpus/jpeg/exif.jpg
jxl profile corpus/png/profile.png -d 0
convert -delay 10 -size 37x27 xc:black "$base" "$work/frames.gif"
jxl animated "$work/frames.gif" -d 0

convert "$base" -compress None -strip corpus/tiff/plain.tif
convert "$base" -compress LZW -strip corpus/tiff/lzw.tif
convert "$base" -compress Zip -depth 16 -strip corpus/tiff/zip-16.tif
convert "$base" -compress JPEG -strip corpus/tiff/jpeg.tif
convert "$base" -monochrome -compress Group4 -strip corpus/tiff/group4.tif
convert "$base" -compress Zip -define tiff:tile-geometry=16x16 -strip corpus/tiff/tiles.tif

convert "$base" -colors 7 corpus/xpm/plain.xpm
convert "$base" -colors 120 -transparent red corpus/xpm/transparent.xpm

python3 ../codecs/images/make-images.py "$work/images" "$work/stamp"
for name in i1-h12 i2-down i4-h64 i8-short s16-c0-h40 s16-c3-h56 s24-c0-h12 s32-c6-h40 profile-inside rle8 rle4 rle8-move \
  rle4-move; do
  cp "$work/images/ok/$name.bmp" corpus/bmp/
done
for name in bits bits-dense grey-7-figures rgb-255 rgb-1000 rgb-1000-figures comments pam-2-255 pam-4-65535 pam-cmyk; do
  cp "$work/images/ok/$name.pnm" corpus/pnm/
done
for name in depth-1 depth-8 depth-32 no-alpha png cursor animated sizes palette-long broken-better; do
  cp "$work/images/ok/$name.ico" corpus/ico/
done
for name in is32 ic04 png jpeg-2000; do
  cp "$work/images/ok/$name.icns" corpus/icns/
done
cp "$work/images/ok/png.qtif" "$work/images/ok/long.qtif" "$work/images/ok/icon.qtif" corpus/qtif/
for name in rgb-2-00 rgb-10-30 rgb-10-16 rgba-10 coarse-10 alpha-multiplied grey-11-16-8 map-1-24-8 map-9-16-16; do
  cp "$work/images/ok/$name.tga" corpus/tga/
done
for name in plain short comments; do
  cp "$work/images/ok/$name.xbm" corpus/xbm/
done
for name in stored deflated streamed wide-numbers wide-end krita-deflated text; do
  cp "$work/images/ok/$name.ora" corpus/ora/
done
for name in rgb-8-runs-9-psb rgb-16-raw-1-psd alpha-8-psd-0 indexed-hole-9 bitmap-runs cmyk-alpha lab-alpha floats resources; do
  cp "$work/images/ok/$name.psd" corpus/psd/
done
for name in soft runs alpha linear; do
  cp "$work/images/ok/$name.qoi" corpus/qoi/
done

# EXIF blocks: byte order, two entries of IFD0, the second one the orientation.
printf 'Exif\0\0II*\0\010\0\0\0\002\0\017\001\002\0\001\0\0\0a\0\0\0\022\001\003\0\001\0\0\0\006\0\0\0\0\0\0\0' \
  >corpus/exif/little.bin
printf 'MM\0*\0\0\0\010\0\002\001\017\0\002\0\0\0\001a\0\0\0\001\022\0\003\0\0\0\001\0\010\0\0\0\0\0\0' \
  >corpus/exif/big.bin

# Thumbnails of which only the chunks before the pixels count: the target puts the CRCs right.
png_head='\211PNG\r\n\032\n\0\0\0\015IHDR\0\0\0\002\0\0\0\002\010\002\0\0\0crc.'
png_uri='\0\0\0\024tEXtThumb::URI\0file:///acrc.'
png_tail='\0\0\0\001IDATxcrc.\0\0\0\0IENDcrc.'
printf "$png_head$png_uri"'\0\0\0\036tEXtThumb::MTime\0001700000000.123456crc.'"$png_tail" \
  >corpus/png-text/fraction.png
printf "$png_head$png_uri"'\0\0\0\017tEXtThumb::MTime\000-1crc.\0\0\0&tEXtX-Thimble::Stamp\000v1 -1.000000007 5 420crc.'"$png_tail" \
  >corpus/png-text/stamp.png
printf 'v1 1700000000.123456789 4711 -' >corpus/png-text/stamp.txt

python3 - <<'END'
import struct

# Messages as on a 64-bit little-endian machine (src/wire/th-wire.h); the target puts the heads right.
def message(kind, body, flags=1):
    head = struct.pack('<4I', 0, kind - 1, 0, 0)
    return struct.pack('<BH', flags, len(head + body)) + head + body

def plan(status=0, width=640, height=480, channels=3, text=b''):
    numbers = struct.pack('<7I4xdQ', status, width, height, 0, channels, 1, 1, 0.0, 1 << 20)
    return message(3, numbers + b'png'.ljust(32, b'\0') + b'image/png'.ljust(128, b'\0')
                   + text.ljust(256, b'\0'))

def done(status=0, text=b''):
    return message(6, struct.pack('<I', status) + text.ljust(256, b'\0'))

for name, data in {
    'honest': plan() + done(),
    'alpha': plan(width=3, height=2000, channels=4) + done(1),
    'refused': plan(4, text=b'\x1b[1mdamaged'),
    'failed': plan() + done(7, b'not enough'),
    'descriptor': plan() + message(6, bytes(260), 3),
}.items():
    open(f'corpus/wire/{name}.bin', 'wb').write(data)
END

# Profiles of each kind that is read; the first byte is the way to evaluate it (see fuzz-icc.c).
python3 - corpus/icc <<'END'
import os
import struct
import sys

def s15(*numbers):
    return b''.join(struct.pack('>i', round(number * 65536)) for number in numbers)

def xyz(*numbers):
    return b'XYZ \0\0\0\0' + s15(*numbers)

def curve(*values):
    return b'curv\0\0\0\0' + struct.pack('>I%dH' % len(values), len(values), *values)

def parametric(kind, *numbers):
    return b'para\0\0\0\0' + struct.pack('>HH', kind, 0) + s15(*numbers)

def profile(kind, space, pcs, major, tags):
    offset, table, data = 132 + 12 * len(tags), b'', b''
    for name, content in tags:
        content += bytes(-len(content) % 4)
        table += name + struct.pack('>II', offset + len(data), len(content))
        data += content
    head = struct.pack('>I4xBBH', offset + len(data), major, 0, 0) + kind + space + pcs + bytes(12) + b'acsp'
    head += bytes(28) + s15(0.9642, 1, 0.8249)
    return head.ljust(128, b'\0') + struct.pack('>I', len(tags)) + table + data

IDENTITY = s15(1, 0, 0, 0, 1, 0, 0, 0, 1)

def lut8(channels):
    ramp = bytes(range(256)) * (channels + 3)
    cells = bytes(255 - i * 5 % 256 for i in range(3 * 2 ** channels))
    head = b'mft1\0\0\0\0' + bytes([channels, 3, 2, 0]) + IDENTITY
    return head + ramp[:256 * channels] + cells + ramp[:256 * 3]

def lut16(channels):
    head = b'mft2\0\0\0\0' + bytes([channels, 3, 2, 0]) + IDENTITY + struct.pack('>HH', 2, 2)
    ramp = struct.pack('>HH', 0, 0xffff)
    cells = struct.pack('>%dH' % (3 * 2 ** channels), *((65535 - i * 1300) & 65535 for i in range(3 * 2 ** channels)))
    return head + ramp * channels + cells + ramp * 3

def lut_a_to_b(channels):
    line = parametric(0, 1.0)
    b = line * 3
    matrix = IDENTITY + s15(0, 0, 0)
    m = parametric(3, 2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045) * 3
    table = bytes([2] * channels).ljust(16, b'\0') + bytes([1, 0, 0, 0])
    table += bytes(i * 7 % 256 for i in range(3 * 2 ** channels))
    table += bytes(-len(table) % 4)
    a = curve(0, 30000, 65535) + b'\0\0'
    a *= channels
    at = [32]
    for part in (b, matrix, m, table):
        at.append(at[-1] + len(part))
    return b'mAB \0\0\0\0' + bytes([channels, 3, 0, 0]) + struct.pack('>5I', *at) + b + matrix + m + table + a

def colorants(*curves):
    rows = (('r', 0.61, 0.311, 0.019), ('g', 0.205, 0.626, 0.061), ('b', 0.149, 0.063, 0.745))
    tags = [(row[0].encode() + b'XYZ', xyz(*row[1:])) for row in rows]
    return tags + [(row[0].encode() + b'TRC', one) for row, one in zip(rows, curves)]

white = (b'wtpt', xyz(0.9642, 1, 0.8249))
gamma = curve(563)
bent = parametric(3, 2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
chad = (b'chad', b'sf32\0\0\0\0' + IDENTITY)
seeds = {
    'rgb': (0, profile(b'mntr', b'RGB ', b'XYZ ', 2, [white] + colorants(gamma, gamma, gamma))),
    'rgb-deep': (12, profile(b'mntr', b'RGB ', b'XYZ ', 4, [white, chad] + colorants(bent, curve(), gamma))),
    'rgb-table': (4, profile(b'scnr', b'RGB ', b'Lab ', 2, [white, (b'A2B0', lut8(3))])),
    'rgb-a-to-b': (8, profile(b'spac', b'RGB ', b'XYZ ', 4, [white, (b'A2B0', lut_a_to_b(3))])),
    'grey': (1, profile(b'mntr', b'GRAY', b'XYZ ', 2, [white, (b'kTRC', curve(0, 9000, 65535))])),
    'grey-deep': (13, profile(b'mntr', b'GRAY', b'Lab ', 4, [white, (b'kTRC', bent)])),
    'cmyk': (2, profile(b'prtr', b'CMYK', b'Lab ', 2, [white, (b'A2B0', lut8(4))])),
    'cmyk-many': (22, profile(b'prtr', b'CMYK', b'Lab ', 2, [white, (b'A2B0', lut16(4))])),
    'cmyk-a-to-b': (10, profile(b'prtr', b'CMYK', b'Lab ', 4, [white, (b'A2B0', lut_a_to_b(4))])),
}
os.makedirs(sys.argv[1], exist_ok=True)
for name, (way, data) in seeds.items():
    open(f'{sys.argv[1]}/{name}.bin', 'wb').write(bytes([way]) + data)
END

# Pictures that say something of their colours.
tail -c +2 corpus/icc/rgb.bin >"$work/rgb.icc"
tail -c +2 corpus/icc/cmyk.bin >"$work/cmyk.icc"
for name in png/profile.png:png/rgb16.png:rgb jpeg/profile.jpg:jpeg/420.jpg:rgb jpeg/cmyk-profile.jpg:jpeg/cmyk.jpg:cmyk; do
  to=${name%%:*} from=${name#*:}
  cp "corpus/${from%:*}" "corpus/$to"
  exiftool -q -overwrite_original "-icc_profile<=$work/${from#*:}.icc" "corpus/$to"
done
webpmux -set icc "$work/rgb.icc" corpus/webp/lossy.webp -o corpus/webp/profile.webp
python3 - <<'END'
import struct
import zlib

def chunk(kind, payload):
    return struct.pack('>I', len(payload)) + kind + payload + struct.pack('>I', zlib.crc32(kind + payload))

def colored(source, name, *chunks):
    data = open(f'corpus/png/{source}.png', 'rb').read()
    open(f'corpus/png/{name}.png', 'wb').write(data[:33] + b''.join(chunk(*one) for one in chunks) + data[33:])

chroma = struct.pack('>8I', 31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000)
colored('rgb16', 'numbers', (b'gAMA', struct.pack('>I', 100000)), (b'cHRM', chroma))
colored('grey-alpha', 'gamma', (b'gAMA', struct.pack('>I', 60000)), (b'sRGB', b'\0'))
colored('rgba', 'points', (b'cICP', bytes([9, 16, 0, 1])))
END
