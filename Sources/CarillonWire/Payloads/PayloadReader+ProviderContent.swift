import CarillonCore

/// The fields of a SEND for Android devices or for browsers alone (Protocol 10.1).
extension PayloadReader {
    /// Reads one of the tags 45 to 51 into the content.
    mutating func readProviderContent(
        _ value: UnsafeRawBufferPointer, tag: UInt32, into content: inout MessageContent
    ) {
        if tag < 49 {
            content.android = android(value, tag: tag, beside: content)
        } else {
            content.web = web(value, tag: tag, beside: content)
        }
    }

    /// Reads the tag `android` (45) or `android_raw` (47).
    private mutating func android(
        _ value: UnsafeRawBufferPointer, tag: UInt32, beside content: MessageContent
    ) -> AndroidContent {
        let android = tag == 45 ? AndroidContent.overrides(Array(value)) : .raw(Array(value))
        let field = tag == 45 ? "android" : "android_raw"
        if content.android != nil { recordInvalid(field, because: "android and android_raw exclude each other") }
        recordInvalid(field) { () throws(MessageError) in
            try MessageRules.checkAndroid(android, for: content.pushType)
        }
        return android
    }

    /// Reads the tag `web` (49) or `web_raw` (51).
    private mutating func web(
        _ value: UnsafeRawBufferPointer, tag: UInt32, beside content: MessageContent
    ) -> WebContent {
        let web = tag == 49 ? WebContent.overrides(Array(value)) : .raw(Array(value))
        let field = tag == 49 ? "web" : "web_raw"
        if content.web != nil { recordInvalid(field, because: "web and web_raw exclude each other") }
        recordInvalid(field) { () throws(MessageError) in
            try MessageRules.checkWeb(web, for: content.pushType)
        }
        return web
    }
}

extension MessageContent {
    /// The tagged field of the content for Android devices; nil if it has none.
    var androidField: FrameWriter.TaggedField? {
        switch android {
        case nil: nil
        case .overrides(let bytes): (45, bytes)
        case .raw(let bytes): (47, bytes)
        }
    }

    /// The tagged field of the content for browsers; nil if it has none.
    var webField: FrameWriter.TaggedField? {
        switch web {
        case nil: nil
        case .overrides(let bytes): (49, bytes)
        case .raw(let bytes): (51, bytes)
        }
    }
}
