import CarillonCore
import CarillonProvider
import Testing

/// The growth of a group, by what the kernel says of the event loops' threads.
struct ConnectionGrowthTests {
    /// Loops in a window of 200 ms.
    struct Window: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The milliseconds for which each loop ran and waited for a processor.
        let worked: [(running: UInt64, waiting: UInt64)]
        let isPermitted: Bool

        init(_ name: String, _ worked: [(running: UInt64, waiting: UInt64)], permits isPermitted: Bool) {
            (testDescription, self.worked, self.isPermitted) = (name, worked, isPermitted)
        }
    }

    static let windows: [Window] = [
        Window("an idle loop", [(20, 0)], permits: true),
        Window("a loop that runs for most of the time", [(170, 5)], permits: true),
        Window("a loop that runs all the time", [(198, 0)], permits: false),
        Window("a loop that runs or waits all the time", [(160, 30)], permits: false),
        Window("two busy loops", [(190, 5), (180, 15)], permits: false),
        Window("one busy loop of two", [(198, 0), (0, 0)], permits: true),
        Window("a loop that waits for a processor longer than it runs", [(30, 60)], permits: false),
        Window("two loops that wait longer than they run", [(60, 20), (10, 60)], permits: false),
        Window("a loop that waits for a short time", [(60, 30)], permits: true),
        Window("an idle loop that waits for a processor", [(5, 40)], permits: true),
    ]

    @Test(arguments: windows) func loopsWithTimeLeftPermitAConnection(_ window: Window) {
        var growth = ConnectionGrowth()
        var times = window.worked.map { _ in
            ConnectionGrowth.ProcessorTime(running: 7_000_000, waiting: 3_000_000)
        }
        #expect(!growth.permitsConnection(at: 5_000) { times }, "the window begins")
        for (index, milliseconds) in window.worked.enumerated() {
            times[index].running += milliseconds.running * 1_000_000
            times[index].waiting += milliseconds.waiting * 1_000_000
        }
        #expect(growth.permitsConnection(at: 5_200) { times } == window.isPermitted)
    }

    @Test func aWindowThatIsTooShortPermitsNothing() {
        var growth = ConnectionGrowth()
        let idle = [ConnectionGrowth.ProcessorTime(running: 0, waiting: 0)]
        #expect(!growth.permitsConnection(at: 1_000) { idle })
        #expect(!growth.permitsConnection(at: 1_099) { idle })
        #expect(growth.permitsConnection(at: 1_100) { idle })
    }

    @Test func aWindowThatIsTooLongBeginsAgain() {
        var growth = ConnectionGrowth()
        let idle = [ConnectionGrowth.ProcessorTime(running: 0, waiting: 0)]
        #expect(!growth.permitsConnection(at: 1_000) { idle })
        #expect(!growth.permitsConnection(at: 2_001) { idle })
        #expect(growth.permitsConnection(at: 2_101) { idle })
    }

    @Test func aNewConnectionIsPartOfTheNextWindow() {
        var growth = ConnectionGrowth()
        let idle = [ConnectionGrowth.ProcessorTime(running: 0, waiting: 0)]
        #expect(!growth.permitsConnection(at: 1_000) { idle })
        growth.connectionOpened()
        #expect(!growth.permitsConnection(at: 1_200) { idle })
        #expect(growth.permitsConnection(at: 1_300) { idle })
    }

    @Test func withoutTheKernelsCountsEveryConnectionIsPermitted() {
        var growth = ConnectionGrowth()
        #expect(growth.permitsConnection(at: 1_000) { [] })
    }

    @Test func aThreadThatWasNotCountedBeforeBeginsAWindow() {
        var growth = ConnectionGrowth()
        let idle = ConnectionGrowth.ProcessorTime(running: 0, waiting: 0)
        #expect(!growth.permitsConnection(at: 1_000) { [idle] })
        #expect(!growth.permitsConnection(at: 1_200) { [idle, idle] })
        #expect(growth.permitsConnection(at: 1_400) { [idle, idle] })
    }
}
