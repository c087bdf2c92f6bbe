"""Words for feelings, times, weather, speech and endings, as templates for `wording.py`."""

from __future__ import annotations

# An adjective after "was" or "felt".
FEELINGS = {
    "happy": "happy|very happy|so happy|glad|delighted|full of joy|happier than ever|pleased|as happy as could be|cheerful",
    "sad": "sad|very sad|unhappy|so sad|close to tears|sad and quiet|miserable|full of sorrow",
    "afraid": "afraid|frightened|scared|very scared|a little afraid|terribly frightened|nervous",
    "angry": "angry|cross|very cross|furious|so angry|annoyed",
    "tired": "tired|very tired|worn out|sleepy|so tired|exhausted",
    "proud": "proud|very proud|so proud|as proud as a king|proud and happy",
    "surprised": "surprised|very surprised|amazed|astonished|so surprised|puzzled",
    "lonely": "lonely|very lonely|all alone|alone and sad",
    "curious": "curious|very curious|full of questions|so curious",
    "hungry": "hungry|very hungry|so hungry|terribly hungry|hungry and tired",
    "worried": "worried|very worried|anxious|so worried|troubled",
    "ashamed": "ashamed|sorry|very sorry|so sorry|a little ashamed",
    "excited": "excited|very excited|so excited|full of excitement",
    "relieved": "relieved|so relieved|very glad|glad and thankful",
    "jealous": "jealous|a little jealous|very jealous|green with envy",
    "bored": "bored|very bored|so bored|terribly bored",
    "thankful": "thankful|very thankful|grateful|so grateful",
    "calm": "calm|quiet|peaceful|calm again",
}
# What a body does when it feels so; "{h}" is the one who feels.
SIGNS = {
    "happy": "{h} smiled|{h} laughed|{h} jumped for joy|{h} danced about|{h} beamed|{h} began to sing|{h} smiled from ear to ear|{h} hummed a little tune",
    "sad": "{h} began to cry|{h} sighed|a tear ran down {h:s} cheek|{h} looked at the ground|{h} sat down and cried|{h} did not say a word|{h} hung {h:ps} head",
    "afraid": "{h} trembled|{h:s} heart beat fast|{h} shivered|{h} held {h:ps} breath|{h} did not dare to move|{h} wanted to run away",
    "angry": "{h} stamped on the floor|{h} frowned|{h} went red|{h} turned away|{h} shouted so loudly that everybody turned around|{h} snorted",
    "proud": "{h} held {h:ps} head high|{h} smiled proudly|{h} stood up very straight|{h} could not stop smiling",
    "surprised": "{h} could hardly believe it|{h} stared|{h} rubbed {h:ps} eyes|{h} opened {h:ps} mouth and shut it again|{h} looked twice",
    "worried": "{h} walked up and down|{h} could not sit still|{h} frowned|{h} thought and thought",
    "relieved": "{h} took a deep breath|{h} laughed with relief|{h} sighed happily|{h} felt warm inside",
    "ashamed": "{h} looked down|{h} went red|{h} did not know what to say|{h} swallowed",
    "excited": "{h} could not sit still|{h} jumped up and down|{h} could hardly wait|{h} hopped from one foot to the other",
}
ADVERBS = {
    "": "||||quietly|softly|slowly|after a while|at last|with a nod|in a low voice|in a clear voice|thoughtfully",
    "happy": "|happily|with a big smile|with a laugh|cheerfully|and laughed",
    "sad": "|sadly|in a small voice|with a sigh|with tears in {me:ps} eyes|quietly",
    "afraid": "|in a shaky voice|in a whisper|nervously|with a trembling voice|very quietly",
    "angry": "|crossly|angrily|in a loud voice|with a frown|sharply",
    "kind": "|kindly|gently|in a friendly voice|with a smile|warmly|softly",
    "eager": "|at once|quickly|eagerly|without waiting|right away",
    "grumpy": "|in a grumpy voice|without looking up|with a yawn|crossly|and turned away",
}
ONE_DAY = (
    "one day|one morning|one afternoon|one evening|one fine day|one sunny morning|one rainy day|one cold morning|one summer day|one day in spring|one windy day|on a Monday|on a Saturday"
    "|one autumn morning|one winter evening|one warm evening|early one morning|late one evening|one Sunday|on a Tuesday|last Friday|a few days later|one quiet afternoon|in the spring|one day after breakfast"
)
THEN = "then|after that|a little later|soon|a moment later|at once|in the end|after a while|next|by and by|now|the next moment"
LATER = "the next day|the next morning|a week later|that evening|later that day|an hour later|after lunch|when the sun went down|two days later|in the afternoon|when it was getting dark|after a long time|before long"
WEATHER = (
    "[The sun was shining|The sky was blue|It was warm and sunny|It was a bright day|A soft wind was blowing|It had rained in the night|The air was fresh|Grey clouds hung in the sky|It was cold outside|It was foggy"
    "|It was [raining|drizzling|windy|cloudy]|The first snow had fallen|It was very hot|The birds were singing|A storm was coming|The leaves were turning yellow|The moon was shining]"
)
ENDINGS = [
    "From that day on, {both} [were the best of friends|met every day|always helped each other|did everything together|never quarrelled again|shared everything|told the story again and again].",
    "[That night|That evening], {h} [slept very well|fell asleep with a smile|lay awake for a long time and thought about it|dreamed of {t:t}|told the whole story at home|looked at the stars and was content].",
    "And [if you ever come to that place|if you listen carefully on a quiet evening|whenever it rains], you can [still hear them laugh|hear {h:n} tell the story|see them there together].",
    "{h} [learned something that day|never forgot that day|had learned a lesson|understood something important]: {moral}.",
    "[And so everything was well again|So it all ended well|And that was the end of the trouble|Everything was as it should be|And that is how it happened|That was a day to remember].",
    "{both} went home [together|tired but happy|in the evening light|singing|before it got dark], and there was [hot soup|warm bread|sweet tea|cake|a good supper|hot chocolate] for [them|everybody].",
    "[After that|Since then|From then on], {h} [was never [lonely|bored|sad] again|always looked twice|visited {f:o} every week|kept {t:t} in a safe place|smiled every time {h:p} [thought of it|saw {f:no}]].",
    "[They laughed about it for a long time.|They talked about it until late at night.|They both had to laugh.|Nobody ever forgot it.|What a day!|It was the best day of the [year|week|summer].]",
]
# What can be learned from a plot; the first row is for all others.
MORALS = {
    "": "it is better to ask than to give up|it pays to be kind|two can do what one cannot do alone|a friend is worth more than gold|you never know what a day brings",
    "lost_thing": "it is good to look twice|things are often nearer than you think|what you love, you should look after",
    "broken_thing": "it is good to tell the truth|a friend is worth more than any thing|it is best to be careful",
    "lie": "it is good to tell the truth|a lie is heavy to carry|it is better to ask first",
    "quarrel": "if you share, you have more|a thing is only half as nice alone|it is hard to be happy alone",
    "borrowed": "a promise is a promise|what is borrowed must come back|it is never too late to say sorry",
    "learning": "nobody is born a master|if you fall, you can get up again|good things need time",
    "garden": "good things need time|a little care every day is enough|it pays to wait",
    "stage": "being brave does not mean that you are never afraid|it helps to see a friend smile|it is all right to be nervous",
    "noise_at_night": "you should look before you run|most ghosts are quite small|being brave does not mean that you are never afraid",
    "contest": "winning is not everything|it is better to help than to win|nobody should laugh too early",
    "found_thing": "it feels good to be honest|what is lost is missed by somebody|joy comes back to you",
    "present": "giving makes two people happy|a present must not be dear|the best things come from the heart",
    "rescue": "if you help, you will be helped|even the smallest can help|a good deed comes back",
}
