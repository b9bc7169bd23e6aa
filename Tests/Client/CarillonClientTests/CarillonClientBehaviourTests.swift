import CarillonTestKit
import Testing

/// A limit for the number of tasks that go on at once.
private actor Places {
    private var free: Int
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiters.append($0) }
        }
    }

    func leave() {
        if waiters.isEmpty { free += 1 } else { waiters.removeFirst().resume() }
    }
}

/// The behaviour vectors of `Protocol/vectors/behaviour`: the behaviour of every client, whatever its language.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CarillonClientBehaviourTests {
    /// The places for vectors that run at the same time. Each vector has a process of Python, and each of its steps
    /// thirty seconds: so not all run at once.
    private static let places = Places(4)

    @Test func `there are 125 vectors with distinct names`() throws {
        let all = try BehaviourVector.all()
        #expect(all.count == 125)
        #expect(Set(all.map(\.name)).count == 125)
    }

    @Test(arguments: BehaviourVector.loaded)
    func `the client behaves as the vector says`(vector: BehaviourVector) async throws {
        await Self.places.enter()
        let problems = try await BehaviourPlayer.play(vector)
        await Self.places.leave()
        #expect(problems.isEmpty, "\(problems.joined(separator: "; "))")
    }
}
