#!/bin/bash
# Runs tests of a package on an emulated processor with AVX-512 (Ice Lake, with VBMI and IFMA), for machines without it.
#
#	tools/avx512/run.sh PACKAGE [-test.run NAME ...]      for example ./internal/kernels -test.run TestEveryKernel -rounds 20
#
# The tests are built static and run by a small Linux in bochs, which prints their output; the exit code is that of the tests. Booting takes a
# minute, and tests then about a hundred times as long as elsewhere. Needs bochs, isolinux, syslinux-common, xorriso, cpio, busybox-static and
# a kernel, VMLINUZ or the last one of /boot, that has the console on the serial line built in (Debian: linux-image-cloud-amd64).
#
# Guard pages may be read here: bochs loads everything that a masked broadcast may load. Only a real processor therefore shows whether
# kernels stay within their slices; their bits are tested here as well.
set -euo pipefail

package=${1:?want a package, such as ./internal/kernels}
shift
kernel=${VMLINUZ:-$(compgen -G '/boot/vmlinuz-*' | sort -V | tail -n 1 || true)}
for needed in "$(command -v bochs || echo bochs)" "$(command -v busybox || echo busybox)" "$(command -v xorriso || echo xorriso)" \
	"$(command -v cpio || echo cpio)" /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "${kernel:-a kernel in /boot}"; do
	if [[ ! -e $needed ]]; then
		echo "SKIPPED: there is no $needed"
		exit
	fi
done
dir=$(mktemp -d)
pid=
trap '[[ -z $pid ]] || kill "$pid" 2>/dev/null || true; rm -rf "$dir"' EXIT
mkdir -p "$dir"/root/{bin,proc,dev,tmp,tests} "$dir/image/isolinux"

# Go's collector with AVX-512 is one of the things that this emulator gets wrong.
sed 's/syscall.PROT_NONE/syscall.PROT_READ/' internal/kernels/guard_test.go >"$dir/guard.go"
echo "{\"Replace\":{\"$PWD/internal/kernels/guard_test.go\":\"$dir/guard.go\"}}" >"$dir/overlay.json"
GOOS=linux GOARCH=amd64 GOEXPERIMENT=nogreenteagc CGO_ENABLED=0 go test -c -overlay "$dir/overlay.json" -ldflags='-s -w' -o "$dir/root/tests/run" "$package"
if [[ -d $package/testdata ]]; then cp -r "$package/testdata" "$dir/root/tests/"; fi

cp "$(command -v busybox)" "$dir/root/bin/busybox"
{
	echo '#!/bin/busybox sh'
	echo '/bin/busybox mount -t proc proc /proc'
	echo '/bin/busybox mount -t devtmpfs dev /dev'
	echo '/bin/busybox mount -t tmpfs tmp /tmp'
	echo 'export HOME=/tmp; cd /tests; echo "<<<start"'
	printf './run'
	printf ' %q' "$@"
	printf '\necho ">>>exit $?"\n'
	echo 'while :; do /bin/busybox sleep 1; done'
} >"$dir/root/init"
chmod +x "$dir/root/init"
(cd "$dir/root" && find . | cpio -o -H newc --quiet | gzip -1 >../image/initrd.gz)
cp "$kernel" "$dir/image/vmlinuz"
cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$dir/image/isolinux/"
# Cleared are pku, ospke, xsavec and xsaves, whose sizes Linux finds inconsistent, and fsrm, which is wrong without erms.
cat >"$dir/image/isolinux/isolinux.cfg" <<-'END'
	default tests
	prompt 0
	label tests
	 kernel /vmlinuz
	 append initrd=/initrd.gz clearcpuid=515,516,321,323,580 mitigations=off nokaslr nosmp nolapic noapic acpi=off tsc=reliable lpj=1000000 random.trust_cpu=on nomodeset lsm=capability quiet console=ttyS0,115200
END
xorriso -as mkisofs -quiet -o "$dir/boot.iso" -b isolinux/isolinux.bin -c isolinux/boot.cat -no-emul-boot -boot-load-size 4 -boot-info-table "$dir/image" 2>/dev/null
cat >"$dir/bochsrc" <<-END
	display_library: rfb, options="timeout=0"
	cpu: model=corei7_icelake_u, count=1, ips=100000000, reset_on_triple_fault=0, ignore_bad_msrs=1
	memory: guest=1024, host=1024
	romimage: file=/usr/share/bochs/BIOS-bochs-latest
	vgaromimage: file=/usr/share/vgabios/vgabios.bin
	ata0-master: type=cdrom, path=$dir/boot.iso, status=inserted
	boot: cdrom
	com1: enabled=1, mode=file, dev=$dir/serial
	sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
	plugin_ctrl: speaker=0, parallel=0, gameport=0
	log: $dir/log
	panic: action=fatal
	error: action=ignore
END

echo continue >"$dir/commands" # Debian's bochs has its debugger
mkfifo "$dir/keyboard"
exec 3<>"$dir/keyboard"
bochs -q -f "$dir/bochsrc" -rc "$dir/commands" <&3 >"$dir/out" 2>&1 &
pid=$!
while kill -0 "$pid" 2>/dev/null && ! grep -aqs '^>>>exit' "$dir/serial"; do sleep 1; done
if ! grep -aqs '^>>>exit' "$dir/serial"; then
	echo 'bochs has ended without an exit code of the tests:'
	tail -n 5 "$dir/out" "$dir/log"
	exit 1
fi
tr -d '\r' <"$dir/serial" | sed -n '/^<<<start/,/^>>>exit/{/^<<<start/d;/^>>>exit/d;p}'
exit "$(sed -n 's/^>>>exit \([0-9]*\).*/\1/p' "$dir/serial")"
