needs: virtualhome
# Damaged plans saturate one form of the similarity and not the other
; The similarity of 2022 does not tell damaged plans from whole ones, that of 2024 does: the table of `--damaged`.
$ stepwright study reprompt --damaged --data $RECORDED --out r.jsonl --tasks first=2 --conditions open-loop --max-steps 1 > shown; grep -e '^by people' -e saturates shown | tr -s ' '
