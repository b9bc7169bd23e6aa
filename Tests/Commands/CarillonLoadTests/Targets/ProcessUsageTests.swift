import Foundation
import Testing

@testable import carillon_load

/// The memory and the processor time of the measured process, and the search for that process.
struct ProcessUsageTests {
    @Test func `the memory and the processor time of a process are read`() throws {
        let before = try #require(ProcessUsage(processID: getpid()))
        #expect(before.residentBytes > 1_000_000)
        var sum: UInt64 = 0
        while try #require(ProcessUsage(processID: getpid())).cpuSeconds < before.cpuSeconds + 0.05 { sum &+= 1 }
        #expect(ProcessUsage(processID: -1) == nil)
    }

    @Test func `a listener is found in the table of sockets`() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:1D32 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 4711 1 0 100 0 0 10 0
               1: 0100007F:1D32 0100007F:9C40 01 00000000:00000000 00:00000000 00000000 0 0 4712 1 0 20 4 0 10 -1
               2: broken
            """
        #expect(ProcessUsage.inodes(listeningOn: 7474, in: table) == ["socket:[4711]"])
        #expect(ProcessUsage.inodes(listeningOn: 80, in: table) == [])
    }
}
