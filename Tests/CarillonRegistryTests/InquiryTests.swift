import CarillonCore
import CarillonRegistry
import Testing

/// Many inquiries on one snapshot.
struct InquiryTests {
    private let scratch = Scratch()

    /// What the registry answers, in order; `between` is called after each answer.
    private func answers(
        _ registry: LMDBRegistry, _ inquiries: [Inquiry], between: () -> Void = {}
    ) -> [Result<InquiryAnswer?, RegistryError>] {
        var answers: [Result<InquiryAnswer?, RegistryError>] = []
        registry.inquire(inquiries) { index, answer in
            #expect(index == answers.count)
            answers.append(answer)
            between()
        }
        return answers
    }

    @Test func eachIsAnsweredInOrderWhateverItAsksFor() throws {
        let registry = try scratch.open()
        let other = try #require(AppID("com.example.other"))
        _ = try registry.apply([register(1), register(2), update(2, isMuted: true)])
        _ = try registry.apply(.accept(message(to: [token(1)]), now: time(1_000)))
        let status = try #require(try registry.status(of: MessageID(rawValue: 1), app: game))
        let (one, two) = (try registry.device(token(1), of: game), try registry.device(token(2), of: game))
        #expect((one?.isMuted, two?.isMuted) == (false, true))
        let found = answers(
            registry,
            [
                .device(token(1), of: game), .device(.id(id(2)), of: game), .device(token(1), of: other),
                .status(MessageID(rawValue: 1), of: game), .status(MessageID(rawValue: 1), of: other),
                .device(token(9), of: game), .device(token(2), of: game),
            ])
        #expect(
            found == [
                .success(one.map(InquiryAnswer.device)), .success(two.map(InquiryAnswer.device)), .success(nil),
                .success(.status(status)), .success(nil), .success(nil), .success(two.map(InquiryAnswer.device)),
            ])
    }

    @Test func allSeeTheStateOfTheFirst() throws {
        let registry = try scratch.open()
        _ = try registry.apply(register(1))
        let inquiry = Inquiry.device(token(1), of: game)
        let completions = Completions()
        let found = answers(registry, [inquiry, inquiry]) {
            registry.submit([unregister(1)], deadline: nil, completion: completions.completion())
            _ = completions.wait()
        }
        #expect(found.count == 2 && found[0] == found[1])
        #expect(answers(registry, [inquiry]) == [.success(nil)])
    }

    @Test func aClosedRegistryRefusesEachOfThem() throws {
        let registry = try scratch.open()
        registry.close()
        let inquiry = Inquiry.device(token(1), of: game)
        #expect(answers(registry, [inquiry, inquiry]) == [.failure(.closed), .failure(.closed)])
    }
}
