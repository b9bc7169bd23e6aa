import CarillonClient
import CarillonCommandLine
import Foundation
import Testing

@testable import carillon_load

/// The numbers, axes and descriptions of the system in reports.
struct WordTests {
    @Test(
        arguments: [
            (0, "0 ns"), (999, "999 ns"), (1_000, "1.00 µs"), (843_210, "843 µs"), (999_600, "1.00 ms"),
            (1_270_000, "1.27 ms"),
            (45_600_000, "45.6 ms"), (999_600_000, "1.00 s"), (61_000_000_000, "61.0 s"),
        ] as [(UInt64, String)])
    func timesHaveThreeDigits(nanoseconds: UInt64, text: String) {
        #expect(UnitFormat.time(nanoseconds) == text)
    }

    @Test(arguments: [
        (0, "0.00"), (0.0234, "0.023"), (1.5, "1.50"), (12.34, "12.3"), (999.4, "999"), (999.6, "1,000"),
        (1_234_567, "1,234,567"),
        (-1_234, "-1,234"), (Double.nan, "–"), (1e300, "9,000,000,000,000,000,000"),
    ])
    func numbersAreShort(number: Double, text: String) {
        #expect(number.short == text)
    }

    @Test func axesHaveRoundTicks() {
        #expect(Scale.linear(to: 1_190) { $0.tick }.ticks.map(\.label) == ["0", "500", "1,000", "1,500"])
        #expect(Scale.linear(to: 0) { $0.tick }.ticks.count >= 2)
        #expect(Scale.seconds(to: 10).ticks.map(\.label) == ["0 s", "2 s", "4 s", "6 s", "8 s", "10 s"])
        #expect(Scale.seconds(to: 3_600).ticks.last?.label == "60 min")
        let times = [
            Scale.nanoseconds(from: 130_000, to: 900_000), Scale.nanoseconds(from: 0, to: 0),
            Scale.nanoseconds(from: 100_000, to: 3e9),
        ]
        #expect(
            times.map { $0.ticks.map(\.label) } == [
                ["100 µs", "200 µs", "500 µs", "1 ms"], ["100 ns", "200 ns", "500 ns", "1 µs"],
                ["100 µs", "1 ms", "10 ms", "100 ms", "1 s"],
            ])
        let percentiles = Scale.percentiles(of: 50_000)
        #expect(percentiles.ticks.map(\.label) == ["50 %", "90 %", "99 %", "99.9 %", "99.99 %"])
        #expect(abs(percentiles.position(99) - 2 / 5) < 1e-9)
        #expect([percentiles.position(100), percentiles.position(0)] == [1, 0])
    }

    @Test func aProcessIsSeen() throws {
        let before = try #require(ProcessUsage(process: getpid()))
        #expect(before.residentBytes > 1_000_000)
        var sum: UInt64 = 0
        while try #require(ProcessUsage(process: getpid())).cpuSeconds < before.cpuSeconds + 0.05 { sum &+= 1 }
        #expect(ProcessUsage(process: -1) == nil)
    }

    @Test func aListenerIsFoundInTheTableOfSockets() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:1D32 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 4711 1 0 100 0 0 10 0
               1: 0100007F:1D32 0100007F:9C40 01 00000000:00000000 00:00000000 00000000 0 0 4712 1 0 20 4 0 10 -1
               2: broken
            """
        #expect(ProcessUsage.inodes(listeningOn: 7474, in: table) == ["socket:[4711]"])
        #expect(ProcessUsage.inodes(listeningOn: 80, in: table) == [])
    }

    @Test(arguments: [
        ("/var/tmp/x", "ext4"), ("/tmp", "tmpfs"), ("/tmp/a/b", "tmpfs"), ("/tmpfiles", "ext4"), ("/mnt/data/x", "xfs"),
    ])
    func theNearestMountIsTheFileSystem(path: String, kind: String) {
        let table = """
            22 1 252:1 / / rw,relatime - ext4 /dev/vda1 rw
            30 22 0:26 / /tmp rw,nosuid shared:5 - tmpfs tmpfs rw
            31 22 0:27 / /mnt/data rw - ext4 /dev/vdb rw
            32 22 0:28 / /mnt/data rw - xfs /dev/vdc rw
            broken -
            """
        #expect(FileSystem.kind(of: path, in: table) == kind)
    }

    /// The text of an address, and true if it is on this machine.
    struct ParsedAddress: CustomTestStringConvertible {
        let text: String
        let isLocal: Bool

        var testDescription: String { text }
    }

    @Test(arguments: [
        ParsedAddress(text: "127.0.0.1:7474", isLocal: true),
        ParsedAddress(text: "push.internal:7474", isLocal: false),
        ParsedAddress(text: "[::1]:80", isLocal: true),
        ParsedAddress(text: "unix:/run/c.sock", isLocal: true),
    ])
    func anAddressIsParsed(_ parsed: ParsedAddress) throws {
        let argument = try #require(AddressArgument(argument: parsed.text))
        #expect((argument.isLocal, argument.address.description) == (parsed.isLocal, parsed.text))
    }

    @Test(arguments: ["", "host", "host:0", "host:70000", ":80", "unix:", "::1:80"])
    func anInvalidAddressIsRefused(text: String) {
        #expect(AddressArgument(argument: text) == nil)
    }

    @Test(
        arguments: [("500ms", 500), ("10", 10_000), ("10s", 10_000), ("5m", 300_000), ("2h", 7_200_000)]
            as [(String, UInt64)])
    func aDurationIsParsed(text: String, milliseconds: UInt64) {
        #expect(TimeSpan(argument: text)?.milliseconds == milliseconds)
        #expect(["", "s", "-1s", "1x", "9999999h"].allSatisfy { TimeSpan(argument: $0) == nil })
    }
}
